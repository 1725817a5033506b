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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-4d907c84-fa14-4f3b-87e8-ace194442e62/metadata/00002-cff46081-dc83-4b5b-a58b-977e45480f14.metadata.json','{lake}/warehouse/events-4d907c84-fa14-4f3b-87e8-ace194442e62/metadata/00001-63b01e01-8cf3-4047-b951-8c23a0d1f492.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-b1589315-efd9-415d-9fdb-8d01a2a58e35/metadata/00000-b10bf1ac-2dd8-4238-a685-eb88dfbef465.metadata.json',NULL,'TABLE');
CREATE TABLE icemelt_frontiers (
	stream_id VARCHAR(36) NOT NULL, 
	move BIGINT NOT NULL, 
	source_id VARCHAR(36) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	position VARCHAR(1024) NOT NULL, 
	initial BOOLEAN NOT NULL, 
	moved_in BIGINT NOT NULL, 
	moved_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_frontiers PRIMARY KEY (stream_id, move, source_id), 
	CONSTRAINT fk_icemelt_frontiers_stream_id FOREIGN KEY(stream_id) REFERENCES icemelt_streams (stream_id)
);
INSERT INTO "icemelt_frontiers" VALUES('29944a5a-f62e-45c8-ba0d-a97bd2ada3c9',0,'b1589315-efd9-415d-9fdb-8d01a2a58e35','table','1@7',0,8,1795298444120);
CREATE TABLE icemelt_lake (
	id INTEGER NOT NULL, 
	lake_id VARCHAR(36) NOT NULL, 
	catalog_name VARCHAR(255) NOT NULL, 
	warehouse TEXT NOT NULL, 
	commit_number BIGINT NOT NULL, 
	commit_time BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_lake PRIMARY KEY (id)
);
INSERT INTO "icemelt_lake" VALUES(1,'2b252066-5088-48e2-b473-85c83766f294','icemelt','{lake}/warehouse',10,1795298444302);
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
CREATE TABLE icemelt_locks (
	object_id VARCHAR(36) NOT NULL, 
	transaction_id VARCHAR(36) NOT NULL, 
	token BIGINT NOT NULL, 
	acquired_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_locks PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_locks_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_migrations (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT icemelt_migrations_pkc PRIMARY KEY (version_num)
);
INSERT INTO "icemelt_migrations" VALUES('0002');
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
INSERT INTO "icemelt_objects" VALUES('6b6b4c0d-bd7c-4078-8e71-b7545c18323c','database',NULL,'main','main','',NULL,1795298419145,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('c2ab7f92-b1d5-4eba-952a-94a8ac7b5666','schema','6b6b4c0d-bd7c-4078-8e71-b7545c18323c','public','public','',NULL,1795298419145,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('4d907c84-fa14-4f3b-87e8-ace194442e62','table','c2ab7f92-b1d5-4eba-952a-94a8ac7b5666','events','events','writer','with a history',1795298433374,NULL,NULL,NULL,NULL,NULL,'main.public','events','ca059536-1305-44a6-9e97-349a204028da','{lake}/warehouse/events-4d907c84-fa14-4f3b-87e8-ace194442e62/metadata/00002-cff46081-dc83-4b5b-a58b-977e45480f14.metadata.json',3,4591851669046683703);
INSERT INTO "icemelt_objects" VALUES('c54882e0-2182-4593-8e8c-4983c31f594d','schema','6b6b4c0d-bd7c-4078-8e71-b7545c18323c','other','other','writer',NULL,1795298443169,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('b1589315-efd9-415d-9fdb-8d01a2a58e35','table','c54882e0-2182-4593-8e8c-4983c31f594d','empty','empty','writer',NULL,1795298443922,NULL,NULL,NULL,NULL,NULL,'main.other','empty','133f8ab3-a99d-474c-b3d8-9edb8670da35','{lake}/warehouse/empty-b1589315-efd9-415d-9fdb-8d01a2a58e35/metadata/00000-b10bf1ac-2dd8-4238-a685-eb88dfbef465.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('29944a5a-f62e-45c8-ba0d-a97bd2ada3c9','stream','c54882e0-2182-4593-8e8c-4983c31f594d','watched','watched','writer',NULL,1795298444120,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('3fe9d2e6-f8e2-4107-8273-040c02fbd8f5','table','c54882e0-2182-4593-8e8c-4983c31f594d','gone','gone','writer',NULL,1795298444274,1795298444302,'7ff545e8-2b08-4381-8c61-00862a02c041',NULL,NULL,NULL,'main.other','gone','9668eb71-415c-4d73-a95e-f632405cd98a','{lake}/warehouse/gone-3fe9d2e6-f8e2-4107-8273-040c02fbd8f5/metadata/00000-a95dee92-97c5-46a5-9290-0d53826c183c.metadata.json',1,NULL);
CREATE TABLE icemelt_open_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	name VARCHAR(255), 
	started_at BIGINT NOT NULL, 
	commit_number BIGINT NOT NULL, 
	lapses_at BIGINT NOT NULL, 
	waits_for VARCHAR(36), 
	aborted_by VARCHAR(255), 
	CONSTRAINT pk_icemelt_open_transactions PRIMARY KEY (transaction_id)
);
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
INSERT INTO "icemelt_statements" VALUES('9083a184-50bc-4e8f-9352-522a3ae38356','092131e3-d860-4065-8426-c3444f0fe61e','85d26b81-83b4-44cd-a4ee-0bef6096663e','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795298432714,1795298433373,'succeeded',1,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('77d1e980-f007-4b23-967f-19adf6f91f71','092131e3-d860-4065-8426-c3444f0fe61e','9f3a0618-3299-4786-b6cb-bcdbec2c917c','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795298433402,1795298439968,'succeeded',2,1,2,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('3a01ef42-efab-4fe5-a4d7-f8a66ff62307','092131e3-d860-4065-8426-c3444f0fe61e','ae9612a9-2785-4725-b00b-130283a3feb4','writer','DELETE FROM events WHERE id = 1','DELETE',1795298439987,1795298443151,'succeeded',3,1,1,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('6c6005e1-08d7-4168-b63b-7076dd2ae8da','092131e3-d860-4065-8426-c3444f0fe61e','2d441e3f-680b-4254-b88b-5d4a0f822dc3','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795298443163,1795298443168,'succeeded',4,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('3609eabf-d4f3-4892-87f1-f1eb45c3b6e7','092131e3-d860-4065-8426-c3444f0fe61e','515a1fd7-1e66-4d65-9c13-8d48c31c3da1','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795298443177,1795298443915,'succeeded',5,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('efd2b36d-3044-4b9b-8bd1-4a00f182b6dc','092131e3-d860-4065-8426-c3444f0fe61e','26cf6ad5-b3fc-41a7-8244-06c3bea15866','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795298443937,1795298444003,'succeeded',6,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('7de26561-3b06-45f9-8ea2-e8404541745f','092131e3-d860-4065-8426-c3444f0fe61e','6cecc6f9-2c14-43c3-9782-1b8d1ad122f9','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795298444020,1795298444062,'succeeded',7,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('fa302f5a-d52a-4baa-a23e-f4a56692562e','092131e3-d860-4065-8426-c3444f0fe61e','37fed211-7303-49da-9ae7-e3f073224dd2','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795298444074,1795298444118,'succeeded',8,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('6c5265ba-e75c-42f1-9630-3b0258ed8d33','092131e3-d860-4065-8426-c3444f0fe61e','a4f8d2c9-45ae-433b-a31a-6a250307b605','writer','CREATE TABLE gone (id INT)','CREATE',1795298444150,1795298444274,'succeeded',9,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('45d7f26c-75bc-4296-8fb3-b0bff6140d43','092131e3-d860-4065-8426-c3444f0fe61e','1170aa3d-4dda-4f65-b359-88b6ef60d7c2','writer','DROP TABLE gone','DROP',1795298444294,1795298444302,'succeeded',10,1,0,NULL,NULL);
CREATE TABLE icemelt_streams (
	stream_id VARCHAR(36) NOT NULL, 
	source_kind VARCHAR(16) NOT NULL, 
	source_id VARCHAR(36) NOT NULL, 
	mode VARCHAR(16) NOT NULL, 
	move BIGINT NOT NULL, 
	token BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_streams PRIMARY KEY (stream_id), 
	CONSTRAINT fk_icemelt_streams_stream_id FOREIGN KEY(stream_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT fk_icemelt_streams_source_id FOREIGN KEY(source_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_streams" VALUES('29944a5a-f62e-45c8-ba0d-a97bd2ada3c9','table','b1589315-efd9-415d-9fdb-8d01a2a58e35','DEFAULT',0,0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('4d907c84-fa14-4f3b-87e8-ace194442e62',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('b1589315-efd9-415d-9fdb-8d01a2a58e35',5,6);
INSERT INTO "icemelt_tracking" VALUES('b1589315-efd9-415d-9fdb-8d01a2a58e35',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('3fe9d2e6-f8e2-4107-8273-040c02fbd8f5',9,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('85d26b81-83b4-44cd-a4ee-0bef6096663e','092131e3-d860-4065-8426-c3444f0fe61e','writer',1,1795298433374);
INSERT INTO "icemelt_transactions" VALUES('9f3a0618-3299-4786-b6cb-bcdbec2c917c','092131e3-d860-4065-8426-c3444f0fe61e','writer',2,1795298439969);
INSERT INTO "icemelt_transactions" VALUES('ae9612a9-2785-4725-b00b-130283a3feb4','092131e3-d860-4065-8426-c3444f0fe61e','writer',3,1795298443154);
INSERT INTO "icemelt_transactions" VALUES('2d441e3f-680b-4254-b88b-5d4a0f822dc3','092131e3-d860-4065-8426-c3444f0fe61e','writer',4,1795298443169);
INSERT INTO "icemelt_transactions" VALUES('515a1fd7-1e66-4d65-9c13-8d48c31c3da1','092131e3-d860-4065-8426-c3444f0fe61e','writer',5,1795298443922);
INSERT INTO "icemelt_transactions" VALUES('26cf6ad5-b3fc-41a7-8244-06c3bea15866','092131e3-d860-4065-8426-c3444f0fe61e','writer',6,1795298444004);
INSERT INTO "icemelt_transactions" VALUES('6cecc6f9-2c14-43c3-9782-1b8d1ad122f9','092131e3-d860-4065-8426-c3444f0fe61e','writer',7,1795298444064);
INSERT INTO "icemelt_transactions" VALUES('37fed211-7303-49da-9ae7-e3f073224dd2','092131e3-d860-4065-8426-c3444f0fe61e','writer',8,1795298444120);
INSERT INTO "icemelt_transactions" VALUES('a4f8d2c9-45ae-433b-a31a-6a250307b605','092131e3-d860-4065-8426-c3444f0fe61e','writer',9,1795298444274);
INSERT INTO "icemelt_transactions" VALUES('1170aa3d-4dda-4f65-b359-88b6ef60d7c2','092131e3-d860-4065-8426-c3444f0fe61e','writer',10,1795298444302);
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
	deleted BIGINT, location TEXT, 
	CONSTRAINT pk_icemelt_versions PRIMARY KEY (table_id, version), 
	CONSTRAINT fk_icemelt_versions_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_versions" VALUES('4d907c84-fa14-4f3b-87e8-ace194442e62',1,1,1795298433374,NULL,'CREATE','[]','writer','9083a184-50bc-4e8f-9352-522a3ae38356','85d26b81-83b4-44cd-a4ee-0bef6096663e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-4d907c84-fa14-4f3b-87e8-ace194442e62/metadata/00000-a1849c80-ad58-4ccf-b09d-3893bb9e8f03.metadata.json');
INSERT INTO "icemelt_versions" VALUES('4d907c84-fa14-4f3b-87e8-ace194442e62',2,2,1795298439969,6778695794024003403,'INSERT','[[6778695794024003403, 1, "append", 0, 2]]','writer','77d1e980-f007-4b23-967f-19adf6f91f71','9f3a0618-3299-4786-b6cb-bcdbec2c917c',0,2,640,2,0,0,'{lake}/warehouse/events-4d907c84-fa14-4f3b-87e8-ace194442e62/metadata/00001-63b01e01-8cf3-4047-b951-8c23a0d1f492.metadata.json');
INSERT INTO "icemelt_versions" VALUES('4d907c84-fa14-4f3b-87e8-ace194442e62',3,3,1795298443154,4591851669046683703,'DELETE','[[4591851669046683703, 2, "delete", 2, 0]]','writer','3a01ef42-efab-4fe5-a4d7-f8a66ff62307','ae9612a9-2785-4725-b00b-130283a3feb4',0,1,682,0,0,1,'{lake}/warehouse/events-4d907c84-fa14-4f3b-87e8-ace194442e62/metadata/00002-cff46081-dc83-4b5b-a58b-977e45480f14.metadata.json');
INSERT INTO "icemelt_versions" VALUES('b1589315-efd9-415d-9fdb-8d01a2a58e35',1,5,1795298443922,NULL,'CREATE','[]','writer','3609eabf-d4f3-4892-87f1-f1eb45c3b6e7','515a1fd7-1e66-4d65-9c13-8d48c31c3da1',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-b1589315-efd9-415d-9fdb-8d01a2a58e35/metadata/00000-b10bf1ac-2dd8-4238-a685-eb88dfbef465.metadata.json');
INSERT INTO "icemelt_versions" VALUES('3fe9d2e6-f8e2-4107-8273-040c02fbd8f5',1,9,1795298444274,NULL,'CREATE','[]','writer','6c5265ba-e75c-42f1-9630-3b0258ed8d33','a4f8d2c9-45ae-433b-a31a-6a250307b605',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-3fe9d2e6-f8e2-4107-8273-040c02fbd8f5/metadata/00000-a95dee92-97c5-46a5-9290-0d53826c183c.metadata.json');
CREATE INDEX ix_icemelt_statements_started_at ON icemelt_statements (started_at);
CREATE INDEX ix_icemelt_transactions_commit_number ON icemelt_transactions (commit_number);
CREATE INDEX ix_icemelt_transactions_committed_at ON icemelt_transactions (committed_at);
CREATE INDEX ix_icemelt_versions_commit ON icemelt_versions (table_id, commit_number);
CREATE INDEX ix_icemelt_versions_time ON icemelt_versions (committed_at);
CREATE UNIQUE INDEX uq_icemelt_objects_live ON icemelt_objects (coalesce(parent_id, ''), folded, coalesce(session_id, '')) WHERE dropped_at IS NULL;
CREATE INDEX ix_icemelt_streams_source_id ON icemelt_streams (source_id);
COMMIT;
