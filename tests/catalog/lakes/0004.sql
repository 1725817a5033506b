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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-56b79cf2-23c4-4a49-85e6-ea29dba79a0e/metadata/00002-62f41f8f-30f1-4f85-a6c8-9fb3510d8e13.metadata.json','{lake}/warehouse/events-56b79cf2-23c4-4a49-85e6-ea29dba79a0e/metadata/00001-ab6a177e-afe9-4ad9-82c9-41f9b058a7c0.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-0897242d-12c2-4448-9124-b7ccf60f2db5/metadata/00000-f18c9d7b-4a56-4360-be7f-0471910bffbf.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-1bee4f12-87de-4000-ba32-de62c2c358da/metadata/00000-5fbda550-1d5c-4294-9513-0afeb64ca6e8.metadata.json',NULL,'VIEW');
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
INSERT INTO "icemelt_frontiers" VALUES('a3bad13d-9616-43a9-a7bb-0626b1013de9',0,'0897242d-12c2-4448-9124-b7ccf60f2db5','table','1@7',0,8,1795445107699);
INSERT INTO "icemelt_frontiers" VALUES('422ba66f-51d9-404a-a829-29ee2e5f5e57',0,'0897242d-12c2-4448-9124-b7ccf60f2db5','table','1@9',0,10,1795445107758);
CREATE TABLE icemelt_lake (
	id INTEGER NOT NULL, 
	lake_id VARCHAR(36) NOT NULL, 
	catalog_name VARCHAR(255) NOT NULL, 
	warehouse TEXT NOT NULL, 
	commit_number BIGINT NOT NULL, 
	commit_time BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_lake PRIMARY KEY (id)
);
INSERT INTO "icemelt_lake" VALUES(1,'22f2dedd-c50c-4247-93b6-b9350bb7a747','icemelt','{lake}/warehouse',12,1795445107778);
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
INSERT INTO "icemelt_migrations" VALUES('0004');
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
INSERT INTO "icemelt_objects" VALUES('a5f5dcc7-a86d-4000-bed3-2e39b02e02a4','database',NULL,'main','main','',NULL,1795445098594,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('07561e06-8377-4e03-9c34-ef8fcf6b436d','schema','a5f5dcc7-a86d-4000-bed3-2e39b02e02a4','public','public','',NULL,1795445098594,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('56b79cf2-23c4-4a49-85e6-ea29dba79a0e','table','07561e06-8377-4e03-9c34-ef8fcf6b436d','events','events','writer','with a history',1795445103612,NULL,NULL,NULL,NULL,NULL,'main.public','events','3c7f3bbe-77c0-4331-bbf6-70af84eeeb8b','{lake}/warehouse/events-56b79cf2-23c4-4a49-85e6-ea29dba79a0e/metadata/00002-62f41f8f-30f1-4f85-a6c8-9fb3510d8e13.metadata.json',3,2834171276253517876);
INSERT INTO "icemelt_objects" VALUES('020ef645-bc86-4730-a785-549f543a5144','schema','a5f5dcc7-a86d-4000-bed3-2e39b02e02a4','other','other','writer',NULL,1795445107410,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('0897242d-12c2-4448-9124-b7ccf60f2db5','table','020ef645-bc86-4730-a785-549f543a5144','empty','empty','writer',NULL,1795445107648,NULL,NULL,NULL,NULL,NULL,'main.other','empty','701be659-473b-4282-923e-37db13a5826c','{lake}/warehouse/empty-0897242d-12c2-4448-9124-b7ccf60f2db5/metadata/00000-f18c9d7b-4a56-4360-be7f-0471910bffbf.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('a3bad13d-9616-43a9-a7bb-0626b1013de9','stream','020ef645-bc86-4730-a785-549f543a5144','watched','watched','writer',NULL,1795445107699,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('1bee4f12-87de-4000-ba32-de62c2c358da','view','020ef645-bc86-4730-a785-549f543a5144','shown','shown','writer',NULL,1795445107751,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-1bee4f12-87de-4000-ba32-de62c2c358da/metadata/00000-5fbda550-1d5c-4294-9513-0afeb64ca6e8.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('422ba66f-51d9-404a-a829-29ee2e5f5e57','stream','020ef645-bc86-4730-a785-549f543a5144','rows','rows','writer',NULL,1795445107758,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('5a46ee63-770e-4110-a538-5bd4294204bf','table','020ef645-bc86-4730-a785-549f543a5144','gone','gone','writer',NULL,1795445107772,1795445107778,'535b7059-6197-4067-a8f3-7e4354305e16',NULL,NULL,NULL,'main.other','gone','4fba8127-8deb-4fdd-931b-b99b4ad44ce8','{lake}/warehouse/gone-5a46ee63-770e-4110-a538-5bd4294204bf/metadata/00000-c4eed0ce-8dbb-4b7c-8167-7fefd2090d86.metadata.json',1,NULL);
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
CREATE TABLE icemelt_sequences (
	table_id VARCHAR(36) NOT NULL, 
	version BIGINT NOT NULL, 
	last_sequence BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_sequences PRIMARY KEY (table_id, version), 
	CONSTRAINT fk_icemelt_sequences_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_sequences" VALUES('56b79cf2-23c4-4a49-85e6-ea29dba79a0e',2,1,1795445106248);
INSERT INTO "icemelt_sequences" VALUES('56b79cf2-23c4-4a49-85e6-ea29dba79a0e',3,2,1795445107402);
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
INSERT INTO "icemelt_statements" VALUES('e867f45b-c39f-4fa4-8acb-182131c26ad1','f33054ba-5d4a-41fe-8a73-f110682953c4','9f0a74b3-acad-47c6-99af-7092e4123f9e','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795445103379,1795445103610,'succeeded',1,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('58f017bd-3057-444c-92c0-6ef2e025e6ed','f33054ba-5d4a-41fe-8a73-f110682953c4','2d1c0c79-1ef4-4066-940c-1b765c2b6e97','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795445103623,1795445106247,'succeeded',2,1,2,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('edaab3fa-8139-43f6-8d69-2cd30b528fde','f33054ba-5d4a-41fe-8a73-f110682953c4','935413e0-a5fc-4e86-9ddf-79b7cda9b696','writer','DELETE FROM events WHERE id = 1','DELETE',1795445106254,1795445107402,'succeeded',3,1,1,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('7b7c5099-9cac-4be4-9431-2c43e7e73fe9','f33054ba-5d4a-41fe-8a73-f110682953c4','7e8ffb74-f6b7-4649-8628-961ac1bf91fa','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795445107408,1795445107410,'succeeded',4,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('d87f9328-3290-41a8-b074-47aee5a01553','f33054ba-5d4a-41fe-8a73-f110682953c4','b20ae3de-590f-4ef2-9962-08bbf23cf06f','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795445107413,1795445107647,'succeeded',5,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('07b3b68d-7739-4138-a101-b3ea131ac146','f33054ba-5d4a-41fe-8a73-f110682953c4','18236c99-7aad-4be2-a961-10859a86266c','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795445107654,1795445107677,'succeeded',6,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('b7d2d78d-c8aa-4bcd-91af-a7416757dae1','f33054ba-5d4a-41fe-8a73-f110682953c4','188c1710-98bb-48a1-a9f7-da8e4ca84bf3','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795445107682,1795445107694,'succeeded',7,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('4faf9125-f2e4-4aec-a958-514b67f8a879','f33054ba-5d4a-41fe-8a73-f110682953c4','a0923a16-cb62-4943-901d-9a36424ce6f5','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795445107696,1795445107699,'succeeded',8,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('1c2c3cf8-90d2-422d-9858-638dc52d135f','f33054ba-5d4a-41fe-8a73-f110682953c4','ba5d47b3-f5ea-4d8f-921d-cf3c12466921','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795445107704,1795445107750,'succeeded',9,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('41461945-c6a9-456b-9720-b2efca565ecc','f33054ba-5d4a-41fe-8a73-f110682953c4','421f81b2-1742-4f74-9441-89f8ecc893f4','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795445107753,1795445107756,'succeeded',10,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('595f95e4-8682-429e-a4c0-2fdb7f232b28','f33054ba-5d4a-41fe-8a73-f110682953c4','e55fbc20-d66d-4402-a4a1-5274d49be04b','writer','CREATE TABLE gone (id INT)','CREATE',1795445107760,1795445107771,'succeeded',11,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('d2b974ce-a3e4-4b7f-b209-79565291b8e9','f33054ba-5d4a-41fe-8a73-f110682953c4','8b75aa68-39e1-40b1-83a2-1a965c638ee6','writer','DROP TABLE gone','DROP',1795445107775,1795445107776,'succeeded',12,1,0,NULL,NULL);
CREATE TABLE icemelt_streams (
	stream_id VARCHAR(36) NOT NULL, 
	source_kind VARCHAR(16) NOT NULL, 
	source_id VARCHAR(36) NOT NULL, 
	mode VARCHAR(16) NOT NULL, 
	move BIGINT NOT NULL, 
	token BIGINT NOT NULL, dialect VARCHAR(16) DEFAULT 'SNOWFLAKE' NOT NULL, 
	CONSTRAINT pk_icemelt_streams PRIMARY KEY (stream_id), 
	CONSTRAINT fk_icemelt_streams_stream_id FOREIGN KEY(stream_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT fk_icemelt_streams_source_id FOREIGN KEY(source_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_streams" VALUES('a3bad13d-9616-43a9-a7bb-0626b1013de9','table','0897242d-12c2-4448-9124-b7ccf60f2db5','DEFAULT',0,0,'SNOWFLAKE');
INSERT INTO "icemelt_streams" VALUES('422ba66f-51d9-404a-a829-29ee2e5f5e57','table','0897242d-12c2-4448-9124-b7ccf60f2db5','DEFAULT',0,0,'SINGDATA');
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('56b79cf2-23c4-4a49-85e6-ea29dba79a0e',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('0897242d-12c2-4448-9124-b7ccf60f2db5',5,6);
INSERT INTO "icemelt_tracking" VALUES('0897242d-12c2-4448-9124-b7ccf60f2db5',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('5a46ee63-770e-4110-a538-5bd4294204bf',11,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('9f0a74b3-acad-47c6-99af-7092e4123f9e','f33054ba-5d4a-41fe-8a73-f110682953c4','writer',1,1795445103612);
INSERT INTO "icemelt_transactions" VALUES('2d1c0c79-1ef4-4066-940c-1b765c2b6e97','f33054ba-5d4a-41fe-8a73-f110682953c4','writer',2,1795445106248);
INSERT INTO "icemelt_transactions" VALUES('935413e0-a5fc-4e86-9ddf-79b7cda9b696','f33054ba-5d4a-41fe-8a73-f110682953c4','writer',3,1795445107402);
INSERT INTO "icemelt_transactions" VALUES('7e8ffb74-f6b7-4649-8628-961ac1bf91fa','f33054ba-5d4a-41fe-8a73-f110682953c4','writer',4,1795445107410);
INSERT INTO "icemelt_transactions" VALUES('b20ae3de-590f-4ef2-9962-08bbf23cf06f','f33054ba-5d4a-41fe-8a73-f110682953c4','writer',5,1795445107648);
INSERT INTO "icemelt_transactions" VALUES('18236c99-7aad-4be2-a961-10859a86266c','f33054ba-5d4a-41fe-8a73-f110682953c4','writer',6,1795445107677);
INSERT INTO "icemelt_transactions" VALUES('188c1710-98bb-48a1-a9f7-da8e4ca84bf3','f33054ba-5d4a-41fe-8a73-f110682953c4','writer',7,1795445107693);
INSERT INTO "icemelt_transactions" VALUES('a0923a16-cb62-4943-901d-9a36424ce6f5','f33054ba-5d4a-41fe-8a73-f110682953c4','writer',8,1795445107699);
INSERT INTO "icemelt_transactions" VALUES('ba5d47b3-f5ea-4d8f-921d-cf3c12466921','f33054ba-5d4a-41fe-8a73-f110682953c4','writer',9,1795445107751);
INSERT INTO "icemelt_transactions" VALUES('421f81b2-1742-4f74-9441-89f8ecc893f4','f33054ba-5d4a-41fe-8a73-f110682953c4','writer',10,1795445107758);
INSERT INTO "icemelt_transactions" VALUES('e55fbc20-d66d-4402-a4a1-5274d49be04b','f33054ba-5d4a-41fe-8a73-f110682953c4','writer',11,1795445107772);
INSERT INTO "icemelt_transactions" VALUES('8b75aa68-39e1-40b1-83a2-1a965c638ee6','f33054ba-5d4a-41fe-8a73-f110682953c4','writer',12,1795445107778);
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
INSERT INTO "icemelt_versions" VALUES('56b79cf2-23c4-4a49-85e6-ea29dba79a0e',1,1,1795445103612,NULL,'CREATE','[]','writer','e867f45b-c39f-4fa4-8acb-182131c26ad1','9f0a74b3-acad-47c6-99af-7092e4123f9e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-56b79cf2-23c4-4a49-85e6-ea29dba79a0e/metadata/00000-fb3652a8-e89f-4e29-a5f4-f0ea20cdc72f.metadata.json');
INSERT INTO "icemelt_versions" VALUES('56b79cf2-23c4-4a49-85e6-ea29dba79a0e',2,2,1795445106248,373910393650634385,'INSERT','[[373910393650634385, 1, "append", 0, 2]]','writer','58f017bd-3057-444c-92c0-6ef2e025e6ed','2d1c0c79-1ef4-4066-940c-1b765c2b6e97',0,2,640,2,0,0,'{lake}/warehouse/events-56b79cf2-23c4-4a49-85e6-ea29dba79a0e/metadata/00001-ab6a177e-afe9-4ad9-82c9-41f9b058a7c0.metadata.json');
INSERT INTO "icemelt_versions" VALUES('56b79cf2-23c4-4a49-85e6-ea29dba79a0e',3,3,1795445107402,2834171276253517876,'DELETE','[[2834171276253517876, 2, "delete", 2, 0]]','writer','edaab3fa-8139-43f6-8d69-2cd30b528fde','935413e0-a5fc-4e86-9ddf-79b7cda9b696',0,1,682,0,0,1,'{lake}/warehouse/events-56b79cf2-23c4-4a49-85e6-ea29dba79a0e/metadata/00002-62f41f8f-30f1-4f85-a6c8-9fb3510d8e13.metadata.json');
INSERT INTO "icemelt_versions" VALUES('0897242d-12c2-4448-9124-b7ccf60f2db5',1,5,1795445107648,NULL,'CREATE','[]','writer','d87f9328-3290-41a8-b074-47aee5a01553','b20ae3de-590f-4ef2-9962-08bbf23cf06f',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-0897242d-12c2-4448-9124-b7ccf60f2db5/metadata/00000-f18c9d7b-4a56-4360-be7f-0471910bffbf.metadata.json');
INSERT INTO "icemelt_versions" VALUES('5a46ee63-770e-4110-a538-5bd4294204bf',1,11,1795445107772,NULL,'CREATE','[]','writer','595f95e4-8682-429e-a4c0-2fdb7f232b28','e55fbc20-d66d-4402-a4a1-5274d49be04b',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-5a46ee63-770e-4110-a538-5bd4294204bf/metadata/00000-c4eed0ce-8dbb-4b7c-8167-7fefd2090d86.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	sources JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('1bee4f12-87de-4000-ba32-de62c2c358da','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','[{"name": ["main", "other", "empty"], "columns": [{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}], "used": ["id", "v"]}]','UTC');
CREATE INDEX ix_icemelt_statements_started_at ON icemelt_statements (started_at);
CREATE INDEX ix_icemelt_transactions_commit_number ON icemelt_transactions (commit_number);
CREATE INDEX ix_icemelt_transactions_committed_at ON icemelt_transactions (committed_at);
CREATE INDEX ix_icemelt_versions_commit ON icemelt_versions (table_id, commit_number);
CREATE INDEX ix_icemelt_versions_time ON icemelt_versions (committed_at);
CREATE UNIQUE INDEX uq_icemelt_objects_live ON icemelt_objects (coalesce(parent_id, ''), folded, coalesce(session_id, '')) WHERE dropped_at IS NULL;
CREATE INDEX ix_icemelt_streams_source_id ON icemelt_streams (source_id);
COMMIT;
