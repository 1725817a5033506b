BEGIN TRANSACTION;
CREATE TABLE iceberg_namespace_properties (
	catalog_name VARCHAR(255) NOT NULL, 
	namespace VARCHAR(255) NOT NULL, 
	property_key VARCHAR(255) NOT NULL, 
	property_value VARCHAR(1000), 
	PRIMARY KEY (catalog_name, namespace, property_key)
);
INSERT INTO "iceberg_namespace_properties" VALUES('icemelt','main','exists','true');
INSERT INTO "iceberg_namespace_properties" VALUES('icemelt','main.public','exists','true');
INSERT INTO "iceberg_namespace_properties" VALUES('icemelt','main.other','exists','true');
CREATE TABLE iceberg_tables (
	catalog_name VARCHAR(255) NOT NULL, 
	table_namespace VARCHAR(255) NOT NULL, 
	table_name VARCHAR(255) NOT NULL, 
	metadata_location VARCHAR(1000), 
	previous_metadata_location VARCHAR(1000), 
	iceberg_type VARCHAR(5), 
	PRIMARY KEY (catalog_name, table_namespace, table_name)
);
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-1045bbcc-21f6-4d5f-b2c0-15b0f8084cab/metadata/00002-79831e03-c113-448c-a22c-a051975f03d7.metadata.json','{lake}/warehouse/events-1045bbcc-21f6-4d5f-b2c0-15b0f8084cab/metadata/00001-7049b447-b584-4ec5-8234-eddeed82f84e.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-4e3c473c-6b00-4b6e-9d1b-c99c7ef5828e/metadata/00000-cc4eedbb-8ead-4b22-898d-6ac923b3f515.metadata.json',NULL,'TABLE');
CREATE TABLE icemelt_lake (
	id INTEGER NOT NULL, 
	lake_id VARCHAR(36) NOT NULL, 
	catalog_name VARCHAR(255) NOT NULL, 
	warehouse TEXT NOT NULL, 
	commit_number BIGINT NOT NULL, 
	commit_time BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_lake PRIMARY KEY (id)
);
INSERT INTO "icemelt_lake" VALUES(1,'39fdcda7-165c-4a76-b1fe-d6f1bd631eb0','icemelt','{lake}/warehouse',9,1795274334994);
CREATE TABLE icemelt_loads (
	table_id VARCHAR(36) NOT NULL, 
	path VARCHAR(2048) NOT NULL, 
	size BIGINT NOT NULL, 
	modified_at BIGINT NOT NULL, 
	rows_loaded BIGINT NOT NULL, 
	errors BIGINT NOT NULL, 
	status VARCHAR(32) NOT NULL, 
	loaded_at BIGINT NOT NULL, 
	statement_id VARCHAR(36) NOT NULL, 
	CONSTRAINT pk_icemelt_loads PRIMARY KEY (table_id, path), 
	CONSTRAINT fk_icemelt_loads_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_migrations (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT icemelt_migrations_pkc PRIMARY KEY (version_num)
);
INSERT INTO "icemelt_migrations" VALUES('0001');
CREATE TABLE icemelt_objects (
	object_id VARCHAR(36) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	parent_id VARCHAR(36), 
	name VARCHAR(255) NOT NULL, 
	folded VARCHAR(1024) NOT NULL, 
	owner VARCHAR(255) NOT NULL, 
	comment TEXT, 
	created_at BIGINT NOT NULL, 
	dropped_at BIGINT, 
	drop_id VARCHAR(36), 
	retention_days INTEGER, 
	extension_days INTEGER, 
	session_id VARCHAR(36), 
	namespace VARCHAR(255), 
	catalog_table_name VARCHAR(255), 
	table_uuid VARCHAR(36), 
	known_location TEXT, 
	version BIGINT, 
	snapshot_id BIGINT, 
	CONSTRAINT pk_icemelt_objects PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_objects_parent_id FOREIGN KEY(parent_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_objects" VALUES('7d249446-48ab-4c4c-b67a-f82ed89a124b','database',NULL,'main','main','',NULL,1795274315116,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('443db438-2c7c-4742-b80d-062248000290','schema','7d249446-48ab-4c4c-b67a-f82ed89a124b','public','public','',NULL,1795274315116,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('1045bbcc-21f6-4d5f-b2c0-15b0f8084cab','table','443db438-2c7c-4742-b80d-062248000290','events','events','writer','with a history',1795274327063,NULL,NULL,NULL,NULL,NULL,'main.public','events','e09b4569-d6ce-4673-85d9-e3e8e1cb8c6e','{lake}/warehouse/events-1045bbcc-21f6-4d5f-b2c0-15b0f8084cab/metadata/00002-79831e03-c113-448c-a22c-a051975f03d7.metadata.json',3,5390504575615864191);
INSERT INTO "icemelt_objects" VALUES('ba3242e2-c1bd-4a30-a746-7a57e7377fef','schema','7d249446-48ab-4c4c-b67a-f82ed89a124b','other','other','writer',NULL,1795274334638,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('4e3c473c-6b00-4b6e-9d1b-c99c7ef5828e','table','ba3242e2-c1bd-4a30-a746-7a57e7377fef','empty','empty','writer',NULL,1795274334816,NULL,NULL,NULL,NULL,NULL,'main.other','empty','088f194a-3184-44ca-97f2-c20721a8f76b','{lake}/warehouse/empty-4e3c473c-6b00-4b6e-9d1b-c99c7ef5828e/metadata/00000-cc4eedbb-8ead-4b22-898d-6ac923b3f515.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('c6c9115a-655c-49ac-b8c1-0db48c6954c1','table','ba3242e2-c1bd-4a30-a746-7a57e7377fef','gone','gone','writer',NULL,1795274334980,1795274334994,'a0a2305e-fc1f-4e6a-b96f-03e54392ae82',NULL,NULL,NULL,'main.other','gone','8c4c9042-24e2-478a-ba90-2fb7123f8c7d','{lake}/warehouse/gone-c6c9115a-655c-49ac-b8c1-0db48c6954c1/metadata/00000-f0610a8a-94c7-43e1-84d2-85e02d444c3c.metadata.json',1,NULL);
CREATE TABLE icemelt_reservations (
	table_id VARCHAR(36) NOT NULL, 
	transaction_id VARCHAR(36) NOT NULL, 
	lapses_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_reservations PRIMARY KEY (table_id), 
	CONSTRAINT fk_icemelt_reservations_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_statements (
	statement_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	transaction_id VARCHAR(36), 
	user VARCHAR(255) NOT NULL, 
	text TEXT NOT NULL, 
	kind VARCHAR(32) NOT NULL, 
	started_at BIGINT NOT NULL, 
	ended_at BIGINT NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	commit_number BIGINT, 
	wrote BOOLEAN NOT NULL, 
	rowcount BIGINT, 
	error_code VARCHAR(64), 
	error_message TEXT, 
	CONSTRAINT pk_icemelt_statements PRIMARY KEY (statement_id)
);
INSERT INTO "icemelt_statements" VALUES('6b0b2785-8ea2-4918-9442-a78ddc91091a','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','fc57770f-eaf1-4d21-bef9-22836e1a47a7','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795274326384,1795274327048,'succeeded',1,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('d49a7907-fd29-481c-9b5c-37ea6a656292','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','ab3408d5-8d5c-4d3f-8e98-7275f49f26a1','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795274327110,1795274332008,'succeeded',2,1,2,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('1a7ef800-46b0-4188-b010-898c88a3eac9','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','caf50a2b-a4c2-4b5d-805f-3d73e86b3e7a','writer','DELETE FROM events WHERE id = 1','DELETE',1795274332021,1795274334611,'succeeded',3,1,1,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('0452bb0c-4b8a-4912-b31c-bea4b75e4690','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','efe44350-4d86-4a82-91fc-a0f9cd1271a5','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795274334624,1795274334637,'succeeded',4,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('dc891abe-1683-4572-ac5f-6ccf1c36a2dc','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','3cc593f8-257f-412d-aaab-f47bc7244d56','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795274334646,1795274334815,'succeeded',5,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('426d4eff-fae8-4dde-847c-f2509d3b2a0d','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','025630d7-a551-4d70-8e0c-5eeb2be9e225','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795274334831,1795274334880,'succeeded',6,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('639bad5e-a19b-4e7e-94a3-62fccf168569','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','6c2a27ee-be06-4907-baa8-a253546d529e','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795274334887,1795274334915,'succeeded',7,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('fbd24886-0d47-4e43-95df-d3931f12b4ae','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','fa6dce06-a4e8-4cf9-b6fd-53fa87afdd40','writer','CREATE TABLE gone (id INT)','CREATE',1795274334920,1795274334980,'succeeded',8,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('756c5bce-54b5-48c1-994d-5db7afb9fe17','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','77c94276-8446-4e07-8c0d-cf891d0af0b8','writer','DROP TABLE gone','DROP',1795274334991,1795274334994,'succeeded',9,1,0,NULL,NULL);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('1045bbcc-21f6-4d5f-b2c0-15b0f8084cab',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('4e3c473c-6b00-4b6e-9d1b-c99c7ef5828e',5,6);
INSERT INTO "icemelt_tracking" VALUES('4e3c473c-6b00-4b6e-9d1b-c99c7ef5828e',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('c6c9115a-655c-49ac-b8c1-0db48c6954c1',8,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('fc57770f-eaf1-4d21-bef9-22836e1a47a7','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','writer',1,1795274327063);
INSERT INTO "icemelt_transactions" VALUES('ab3408d5-8d5c-4d3f-8e98-7275f49f26a1','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','writer',2,1795274332009);
INSERT INTO "icemelt_transactions" VALUES('caf50a2b-a4c2-4b5d-805f-3d73e86b3e7a','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','writer',3,1795274334612);
INSERT INTO "icemelt_transactions" VALUES('efe44350-4d86-4a82-91fc-a0f9cd1271a5','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','writer',4,1795274334638);
INSERT INTO "icemelt_transactions" VALUES('3cc593f8-257f-412d-aaab-f47bc7244d56','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','writer',5,1795274334816);
INSERT INTO "icemelt_transactions" VALUES('025630d7-a551-4d70-8e0c-5eeb2be9e225','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','writer',6,1795274334881);
INSERT INTO "icemelt_transactions" VALUES('6c2a27ee-be06-4907-baa8-a253546d529e','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','writer',7,1795274334916);
INSERT INTO "icemelt_transactions" VALUES('fa6dce06-a4e8-4cf9-b6fd-53fa87afdd40','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','writer',8,1795274334980);
INSERT INTO "icemelt_transactions" VALUES('77c94276-8446-4e07-8c0d-cf891d0af0b8','eb0cd7d9-0a51-4fd6-86e3-691c157c7e00','writer',9,1795274334994);
CREATE TABLE icemelt_versions (
	table_id VARCHAR(36) NOT NULL, 
	version BIGINT NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	snapshot_id BIGINT, 
	operation VARCHAR(32) NOT NULL, 
	snapshots JSON NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	statement_id VARCHAR(36), 
	transaction_id VARCHAR(36), 
	from_foreign BOOLEAN NOT NULL, 
	total_rows BIGINT, 
	total_bytes BIGINT, 
	inserted BIGINT, 
	updated BIGINT, 
	deleted BIGINT, 
	CONSTRAINT pk_icemelt_versions PRIMARY KEY (table_id, version), 
	CONSTRAINT fk_icemelt_versions_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_versions" VALUES('1045bbcc-21f6-4d5f-b2c0-15b0f8084cab',1,1,1795274327063,NULL,'CREATE','[]','writer','6b0b2785-8ea2-4918-9442-a78ddc91091a','fc57770f-eaf1-4d21-bef9-22836e1a47a7',0,0,0,NULL,NULL,NULL);
INSERT INTO "icemelt_versions" VALUES('1045bbcc-21f6-4d5f-b2c0-15b0f8084cab',2,2,1795274332009,9199295193676156988,'INSERT','[[9199295193676156988, 1, "append", 0, 2]]','writer','d49a7907-fd29-481c-9b5c-37ea6a656292','ab3408d5-8d5c-4d3f-8e98-7275f49f26a1',0,2,640,2,0,0);
INSERT INTO "icemelt_versions" VALUES('1045bbcc-21f6-4d5f-b2c0-15b0f8084cab',3,3,1795274334612,5390504575615864191,'DELETE','[[5390504575615864191, 2, "delete", 2, 0]]','writer','1a7ef800-46b0-4188-b010-898c88a3eac9','caf50a2b-a4c2-4b5d-805f-3d73e86b3e7a',0,1,682,0,0,1);
INSERT INTO "icemelt_versions" VALUES('4e3c473c-6b00-4b6e-9d1b-c99c7ef5828e',1,5,1795274334816,NULL,'CREATE','[]','writer','dc891abe-1683-4572-ac5f-6ccf1c36a2dc','3cc593f8-257f-412d-aaab-f47bc7244d56',0,0,0,NULL,NULL,NULL);
INSERT INTO "icemelt_versions" VALUES('c6c9115a-655c-49ac-b8c1-0db48c6954c1',1,8,1795274334980,NULL,'CREATE','[]','writer','fbd24886-0d47-4e43-95df-d3931f12b4ae','fa6dce06-a4e8-4cf9-b6fd-53fa87afdd40',0,0,0,NULL,NULL,NULL);
CREATE INDEX ix_icemelt_statements_started_at ON icemelt_statements (started_at);
CREATE INDEX ix_icemelt_transactions_commit_number ON icemelt_transactions (commit_number);
CREATE INDEX ix_icemelt_transactions_committed_at ON icemelt_transactions (committed_at);
CREATE INDEX ix_icemelt_versions_commit ON icemelt_versions (table_id, commit_number);
CREATE INDEX ix_icemelt_versions_time ON icemelt_versions (committed_at);
CREATE UNIQUE INDEX uq_icemelt_objects_live ON icemelt_objects (coalesce(parent_id, ''), folded, coalesce(session_id, '')) WHERE dropped_at IS NULL;
COMMIT;
