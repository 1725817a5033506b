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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-3a5532e1-ba54-447f-b7bd-1c454f847fd3/metadata/00002-36603236-9a73-40a9-8ac6-a0f23b16d7f0.metadata.json','{lake}/warehouse/events-3a5532e1-ba54-447f-b7bd-1c454f847fd3/metadata/00001-5a08320e-eaed-4147-b7d4-ed46da6118cc.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-ace78207-aa30-455e-9f3e-2c60f35a9cae/metadata/00000-5f04e16c-32b5-433a-b3fd-f5154bbb62d9.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-dea4dbcb-82d6-49fc-84fa-06f2ace9a5f2/metadata/00000-7379bcfc-9bf1-4d80-8c01-a01452aa7a52.metadata.json',NULL,'VIEW');
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
INSERT INTO "icemelt_frontiers" VALUES('456a8a3f-c73c-4b02-b18d-121a7093ad55',0,'ace78207-aa30-455e-9f3e-2c60f35a9cae','table','1@7',0,8,1795348320149);
CREATE TABLE icemelt_lake (
	id INTEGER NOT NULL, 
	lake_id VARCHAR(36) NOT NULL, 
	catalog_name VARCHAR(255) NOT NULL, 
	warehouse TEXT NOT NULL, 
	commit_number BIGINT NOT NULL, 
	commit_time BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_lake PRIMARY KEY (id)
);
INSERT INTO "icemelt_lake" VALUES(1,'7656e40b-0fea-48a3-a370-ab4e602f77b3','icemelt','{lake}/warehouse',11,1795348320268);
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
INSERT INTO "icemelt_migrations" VALUES('0003');
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
INSERT INTO "icemelt_objects" VALUES('28970c0a-7b45-45e3-8f35-9be626aaea93','database',NULL,'main','main','',NULL,1795348307572,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('17ff54a3-112e-4fb5-aeb3-9c901d7786b0','schema','28970c0a-7b45-45e3-8f35-9be626aaea93','public','public','',NULL,1795348307572,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('3a5532e1-ba54-447f-b7bd-1c454f847fd3','table','17ff54a3-112e-4fb5-aeb3-9c901d7786b0','events','events','writer','with a history',1795348314454,NULL,NULL,NULL,NULL,NULL,'main.public','events','94b7312d-2e64-4cc4-b0ac-2365404e9e91','{lake}/warehouse/events-3a5532e1-ba54-447f-b7bd-1c454f847fd3/metadata/00002-36603236-9a73-40a9-8ac6-a0f23b16d7f0.metadata.json',3,8367579324727090833);
INSERT INTO "icemelt_objects" VALUES('f70fdc15-f722-4ac3-a594-bd142f6acd1b','schema','28970c0a-7b45-45e3-8f35-9be626aaea93','other','other','writer',NULL,1795348319723,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('ace78207-aa30-455e-9f3e-2c60f35a9cae','table','f70fdc15-f722-4ac3-a594-bd142f6acd1b','empty','empty','writer',NULL,1795348320095,NULL,NULL,NULL,NULL,NULL,'main.other','empty','3e53aacd-2e4d-4138-ae17-a16bc078b644','{lake}/warehouse/empty-ace78207-aa30-455e-9f3e-2c60f35a9cae/metadata/00000-5f04e16c-32b5-433a-b3fd-f5154bbb62d9.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('456a8a3f-c73c-4b02-b18d-121a7093ad55','stream','f70fdc15-f722-4ac3-a594-bd142f6acd1b','watched','watched','writer',NULL,1795348320149,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('dea4dbcb-82d6-49fc-84fa-06f2ace9a5f2','view','f70fdc15-f722-4ac3-a594-bd142f6acd1b','shown','shown','writer',NULL,1795348320223,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-dea4dbcb-82d6-49fc-84fa-06f2ace9a5f2/metadata/00000-7379bcfc-9bf1-4d80-8c01-a01452aa7a52.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('97d2dc46-7bf9-444e-b84e-aa13a8cbbd35','table','f70fdc15-f722-4ac3-a594-bd142f6acd1b','gone','gone','writer',NULL,1795348320258,1795348320268,'6b85b491-66e7-4a57-a62b-c82caa3b7490',NULL,NULL,NULL,'main.other','gone','8a86a8aa-55b0-4bbc-a01b-f0bf606424cf','{lake}/warehouse/gone-97d2dc46-7bf9-444e-b84e-aa13a8cbbd35/metadata/00000-05327f16-6570-48dd-a003-3e04715f358d.metadata.json',1,NULL);
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
INSERT INTO "icemelt_statements" VALUES('5465a05b-41c5-44e6-b4a7-aaf9f6567d4a','4aba88c8-451e-4f61-88e5-9aab62cc3be1','0b9d8896-a5e7-4e69-9d85-76b3b066f028','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795348314133,1795348314451,'succeeded',1,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('c54dc915-d864-4662-9229-8b2dd5bcb3cf','4aba88c8-451e-4f61-88e5-9aab62cc3be1','94702534-1e62-4ae5-854d-67deacac5d93','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795348314469,1795348317990,'succeeded',2,1,2,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('1cfcb338-c3c0-4fb8-aaaa-61e9de5e078a','4aba88c8-451e-4f61-88e5-9aab62cc3be1','39d1a2cf-d995-4d17-a7bf-e32c5989130e','writer','DELETE FROM events WHERE id = 1','DELETE',1795348318005,1795348319701,'succeeded',3,1,1,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('cac93916-3999-4081-acff-d435304d50c4','4aba88c8-451e-4f61-88e5-9aab62cc3be1','ff249300-1059-4e63-a0d9-f56e39bfc002','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795348319720,1795348319724,'succeeded',4,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('76dbbf67-030e-4b81-a181-6b56e12bfa4b','4aba88c8-451e-4f61-88e5-9aab62cc3be1','ef75948b-d80c-44f8-8188-bce326ec01a9','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795348319729,1795348320093,'succeeded',5,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('087cf300-adc7-4936-8406-e19a8db98d2e','4aba88c8-451e-4f61-88e5-9aab62cc3be1','f2eff05e-1f8d-4da0-b199-8b333f2a60f3','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795348320100,1795348320124,'succeeded',6,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('44c3b6e1-ef88-45b3-8f54-7cc22c10dc12','4aba88c8-451e-4f61-88e5-9aab62cc3be1','cc6b6f69-1f8b-471a-8819-652f05d0db52','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795348320129,1795348320140,'succeeded',7,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('65eb1ccd-8218-437b-acba-e1ca039821d4','4aba88c8-451e-4f61-88e5-9aab62cc3be1','d6469a4d-a114-4719-98d1-db069a47cd4c','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795348320143,1795348320147,'succeeded',8,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('88e8dec2-9692-4b90-b619-b04d73238480','4aba88c8-451e-4f61-88e5-9aab62cc3be1','769d24d8-de66-4b0e-ac1f-8ae39f78469f','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795348320156,1795348320222,'succeeded',9,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('a6d6520e-e282-4277-8d59-752ab7121476','4aba88c8-451e-4f61-88e5-9aab62cc3be1','c2a46815-3b05-47e2-9791-4c3bb20f02c7','writer','CREATE TABLE gone (id INT)','CREATE',1795348320226,1795348320256,'succeeded',10,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('e76ae484-bbe1-48c6-a88d-446859289148','4aba88c8-451e-4f61-88e5-9aab62cc3be1','5b8331b7-d7b8-4250-b145-094bea21b252','writer','DROP TABLE gone','DROP',1795348320267,1795348320268,'succeeded',11,1,0,NULL,NULL);
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
INSERT INTO "icemelt_streams" VALUES('456a8a3f-c73c-4b02-b18d-121a7093ad55','table','ace78207-aa30-455e-9f3e-2c60f35a9cae','DEFAULT',0,0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('3a5532e1-ba54-447f-b7bd-1c454f847fd3',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('ace78207-aa30-455e-9f3e-2c60f35a9cae',5,6);
INSERT INTO "icemelt_tracking" VALUES('ace78207-aa30-455e-9f3e-2c60f35a9cae',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('97d2dc46-7bf9-444e-b84e-aa13a8cbbd35',10,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('0b9d8896-a5e7-4e69-9d85-76b3b066f028','4aba88c8-451e-4f61-88e5-9aab62cc3be1','writer',1,1795348314454);
INSERT INTO "icemelt_transactions" VALUES('94702534-1e62-4ae5-854d-67deacac5d93','4aba88c8-451e-4f61-88e5-9aab62cc3be1','writer',2,1795348317992);
INSERT INTO "icemelt_transactions" VALUES('39d1a2cf-d995-4d17-a7bf-e32c5989130e','4aba88c8-451e-4f61-88e5-9aab62cc3be1','writer',3,1795348319703);
INSERT INTO "icemelt_transactions" VALUES('ff249300-1059-4e63-a0d9-f56e39bfc002','4aba88c8-451e-4f61-88e5-9aab62cc3be1','writer',4,1795348319723);
INSERT INTO "icemelt_transactions" VALUES('ef75948b-d80c-44f8-8188-bce326ec01a9','4aba88c8-451e-4f61-88e5-9aab62cc3be1','writer',5,1795348320095);
INSERT INTO "icemelt_transactions" VALUES('f2eff05e-1f8d-4da0-b199-8b333f2a60f3','4aba88c8-451e-4f61-88e5-9aab62cc3be1','writer',6,1795348320125);
INSERT INTO "icemelt_transactions" VALUES('cc6b6f69-1f8b-471a-8819-652f05d0db52','4aba88c8-451e-4f61-88e5-9aab62cc3be1','writer',7,1795348320141);
INSERT INTO "icemelt_transactions" VALUES('d6469a4d-a114-4719-98d1-db069a47cd4c','4aba88c8-451e-4f61-88e5-9aab62cc3be1','writer',8,1795348320149);
INSERT INTO "icemelt_transactions" VALUES('769d24d8-de66-4b0e-ac1f-8ae39f78469f','4aba88c8-451e-4f61-88e5-9aab62cc3be1','writer',9,1795348320223);
INSERT INTO "icemelt_transactions" VALUES('c2a46815-3b05-47e2-9791-4c3bb20f02c7','4aba88c8-451e-4f61-88e5-9aab62cc3be1','writer',10,1795348320258);
INSERT INTO "icemelt_transactions" VALUES('5b8331b7-d7b8-4250-b145-094bea21b252','4aba88c8-451e-4f61-88e5-9aab62cc3be1','writer',11,1795348320268);
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
INSERT INTO "icemelt_versions" VALUES('3a5532e1-ba54-447f-b7bd-1c454f847fd3',1,1,1795348314454,NULL,'CREATE','[]','writer','5465a05b-41c5-44e6-b4a7-aaf9f6567d4a','0b9d8896-a5e7-4e69-9d85-76b3b066f028',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-3a5532e1-ba54-447f-b7bd-1c454f847fd3/metadata/00000-60f5735c-dc26-493f-ad50-d6449de95ac7.metadata.json');
INSERT INTO "icemelt_versions" VALUES('3a5532e1-ba54-447f-b7bd-1c454f847fd3',2,2,1795348317992,5951878742893100167,'INSERT','[[5951878742893100167, 1, "append", 0, 2]]','writer','c54dc915-d864-4662-9229-8b2dd5bcb3cf','94702534-1e62-4ae5-854d-67deacac5d93',0,2,640,2,0,0,'{lake}/warehouse/events-3a5532e1-ba54-447f-b7bd-1c454f847fd3/metadata/00001-5a08320e-eaed-4147-b7d4-ed46da6118cc.metadata.json');
INSERT INTO "icemelt_versions" VALUES('3a5532e1-ba54-447f-b7bd-1c454f847fd3',3,3,1795348319703,8367579324727090833,'DELETE','[[8367579324727090833, 2, "delete", 2, 0]]','writer','1cfcb338-c3c0-4fb8-aaaa-61e9de5e078a','39d1a2cf-d995-4d17-a7bf-e32c5989130e',0,1,682,0,0,1,'{lake}/warehouse/events-3a5532e1-ba54-447f-b7bd-1c454f847fd3/metadata/00002-36603236-9a73-40a9-8ac6-a0f23b16d7f0.metadata.json');
INSERT INTO "icemelt_versions" VALUES('ace78207-aa30-455e-9f3e-2c60f35a9cae',1,5,1795348320095,NULL,'CREATE','[]','writer','76dbbf67-030e-4b81-a181-6b56e12bfa4b','ef75948b-d80c-44f8-8188-bce326ec01a9',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-ace78207-aa30-455e-9f3e-2c60f35a9cae/metadata/00000-5f04e16c-32b5-433a-b3fd-f5154bbb62d9.metadata.json');
INSERT INTO "icemelt_versions" VALUES('97d2dc46-7bf9-444e-b84e-aa13a8cbbd35',1,10,1795348320258,NULL,'CREATE','[]','writer','a6d6520e-e282-4277-8d59-752ab7121476','c2a46815-3b05-47e2-9791-4c3bb20f02c7',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-97d2dc46-7bf9-444e-b84e-aa13a8cbbd35/metadata/00000-05327f16-6570-48dd-a003-3e04715f358d.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	sources JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('dea4dbcb-82d6-49fc-84fa-06f2ace9a5f2','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','[{"name": ["main", "other", "empty"], "columns": [{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}], "used": ["id", "v"]}]','UTC');
CREATE INDEX ix_icemelt_statements_started_at ON icemelt_statements (started_at);
CREATE INDEX ix_icemelt_transactions_commit_number ON icemelt_transactions (commit_number);
CREATE INDEX ix_icemelt_transactions_committed_at ON icemelt_transactions (committed_at);
CREATE INDEX ix_icemelt_versions_commit ON icemelt_versions (table_id, commit_number);
CREATE INDEX ix_icemelt_versions_time ON icemelt_versions (committed_at);
CREATE UNIQUE INDEX uq_icemelt_objects_live ON icemelt_objects (coalesce(parent_id, ''), folded, coalesce(session_id, '')) WHERE dropped_at IS NULL;
CREATE INDEX ix_icemelt_streams_source_id ON icemelt_streams (source_id);
COMMIT;
