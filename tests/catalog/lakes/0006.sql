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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-703577f8-71e3-469f-9120-e3b53415571b/metadata/00002-4a716ef9-bf6b-455c-aea1-6afc10be5dad.metadata.json','{lake}/warehouse/events-703577f8-71e3-469f-9120-e3b53415571b/metadata/00001-d9d3ff1a-d456-410b-b5dc-6321bee4328e.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-d1bbafba-c6f6-4508-80be-0d3094b866f3/metadata/00000-437eb91e-cd8c-4740-aeb2-2facb1296d1b.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-a9b486fe-5453-4a80-94c8-5190fd585be6/metadata/00000-8a5100c0-ccb3-4425-ad4f-26376698428a.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-a98284e0-092b-4d23-9b90-35450b4dba46/metadata/00000-1c509a0a-1149-4ed2-a8b6-2ec7af138d5e.metadata.json',NULL,'TABLE');
CREATE TABLE icemelt_channels (
	channel_id VARCHAR(36) NOT NULL, 
	table_id VARCHAR(36) NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	owner VARCHAR(255) NOT NULL, 
	created_at BIGINT NOT NULL, 
	active_at BIGINT NOT NULL, 
	client_sequencer BIGINT NOT NULL, 
	row_sequencer BIGINT NOT NULL, 
	offset_token TEXT, 
	CONSTRAINT pk_icemelt_channels PRIMARY KEY (channel_id), 
	CONSTRAINT fk_icemelt_channels_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT uq_icemelt_channels_table_id_name UNIQUE (table_id, name)
);
INSERT INTO "icemelt_channels" VALUES('72986bab-54ad-4e20-a6f8-925925cbeb31','a98284e0-092b-4d23-9b90-35450b4dba46','first','writer',1795697876927,1795697876927,1,0,'7');
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
INSERT INTO "icemelt_frontiers" VALUES('7c542db1-c567-4e94-b78a-b54b02c89c7f',0,'d1bbafba-c6f6-4508-80be-0d3094b866f3','table','1@7',0,8,1795697876064);
INSERT INTO "icemelt_frontiers" VALUES('3247a48e-9563-454d-8e77-dd11c141cbdf',0,'d1bbafba-c6f6-4508-80be-0d3094b866f3','table','1@9',0,10,1795697876449);
CREATE TABLE icemelt_keys (
	key_id VARCHAR(36) NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	created_at BIGINT NOT NULL, 
	revoked_at BIGINT, statement_timeout FLOAT, 
	CONSTRAINT pk_icemelt_keys PRIMARY KEY (key_id)
);
CREATE TABLE icemelt_lake (
	id INTEGER NOT NULL, 
	lake_id VARCHAR(36) NOT NULL, 
	catalog_name VARCHAR(255) NOT NULL, 
	warehouse TEXT NOT NULL, 
	commit_number BIGINT NOT NULL, 
	commit_time BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_lake PRIMARY KEY (id)
);
INSERT INTO "icemelt_lake" VALUES(1,'2a8d6533-1b19-44f6-a006-632c0f2d7015','icemelt','{lake}/warehouse',13,1795697876913);
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
INSERT INTO "icemelt_migrations" VALUES('0006');
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
INSERT INTO "icemelt_objects" VALUES('4617a676-92cb-45b6-a85b-1c3534880dd7','database',NULL,'main','main','',NULL,1795697828873,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('0c92a208-0bcd-4453-8f21-71fd6d03a1be','schema','4617a676-92cb-45b6-a85b-1c3534880dd7','public','public','',NULL,1795697828873,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('703577f8-71e3-469f-9120-e3b53415571b','table','0c92a208-0bcd-4453-8f21-71fd6d03a1be','events','events','writer','with a history',1795697855125,NULL,NULL,NULL,NULL,NULL,'main.public','events','61242e3e-5b49-45a3-8e7c-8009ebd89f05','{lake}/warehouse/events-703577f8-71e3-469f-9120-e3b53415571b/metadata/00002-4a716ef9-bf6b-455c-aea1-6afc10be5dad.metadata.json',3,942014318964233510);
INSERT INTO "icemelt_objects" VALUES('07d015ae-5b3c-43ec-880b-07d0af405ce3','schema','4617a676-92cb-45b6-a85b-1c3534880dd7','other','other','writer',NULL,1795697873867,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('d1bbafba-c6f6-4508-80be-0d3094b866f3','table','07d015ae-5b3c-43ec-880b-07d0af405ce3','empty','empty','writer',NULL,1795697875698,NULL,NULL,NULL,NULL,NULL,'main.other','empty','37e50853-d08f-4f52-b0e4-19f2b86613a5','{lake}/warehouse/empty-d1bbafba-c6f6-4508-80be-0d3094b866f3/metadata/00000-437eb91e-cd8c-4740-aeb2-2facb1296d1b.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('7c542db1-c567-4e94-b78a-b54b02c89c7f','stream','07d015ae-5b3c-43ec-880b-07d0af405ce3','watched','watched','writer',NULL,1795697876064,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('a9b486fe-5453-4a80-94c8-5190fd585be6','view','07d015ae-5b3c-43ec-880b-07d0af405ce3','shown','shown','writer',NULL,1795697876332,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-a9b486fe-5453-4a80-94c8-5190fd585be6/metadata/00000-8a5100c0-ccb3-4425-ad4f-26376698428a.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('3247a48e-9563-454d-8e77-dd11c141cbdf','stream','07d015ae-5b3c-43ec-880b-07d0af405ce3','rows','rows','writer',NULL,1795697876449,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('a98284e0-092b-4d23-9b90-35450b4dba46','table','07d015ae-5b3c-43ec-880b-07d0af405ce3','kept','kept','writer',NULL,1795697876689,NULL,NULL,NULL,NULL,NULL,'main.other','kept','8d82e38e-8fe6-47b1-94a2-9b9b3b88387a','{lake}/warehouse/kept-a98284e0-092b-4d23-9b90-35450b4dba46/metadata/00000-1c509a0a-1149-4ed2-a8b6-2ec7af138d5e.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('a97af24a-314a-4bf1-9661-4d9a7c43ea13','table','07d015ae-5b3c-43ec-880b-07d0af405ce3','gone','gone','writer',NULL,1795697876903,1795697876913,'2e049dab-5c6e-41bb-850f-793cf10d0ca9',NULL,NULL,NULL,'main.other','gone','41a0070c-010b-4bee-b9b8-6658b43e0b77','{lake}/warehouse/gone-a97af24a-314a-4bf1-9661-4d9a7c43ea13/metadata/00000-b75ebd9b-957b-40a6-b47a-40d28d778e9b.metadata.json',1,NULL);
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
CREATE TABLE icemelt_running (
	statement_id VARCHAR(36) NOT NULL, 
	server_id VARCHAR(36) NOT NULL, 
	key_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	text TEXT NOT NULL, 
	submitted_at BIGINT NOT NULL, 
	started_at BIGINT, 
	lapses_at BIGINT NOT NULL, 
	is_cancelled BOOLEAN NOT NULL, 
	CONSTRAINT pk_icemelt_running PRIMARY KEY (statement_id, server_id)
);
CREATE TABLE icemelt_sequences (
	table_id VARCHAR(36) NOT NULL, 
	version BIGINT NOT NULL, 
	last_sequence BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_sequences PRIMARY KEY (table_id, version), 
	CONSTRAINT fk_icemelt_sequences_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_sequences" VALUES('703577f8-71e3-469f-9120-e3b53415571b',2,1,1795697867642);
INSERT INTO "icemelt_sequences" VALUES('703577f8-71e3-469f-9120-e3b53415571b',3,2,1795697873860);
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
	error_message TEXT, key_id VARCHAR(36), 
	CONSTRAINT pk_icemelt_statements PRIMARY KEY (statement_id)
);
INSERT INTO "icemelt_statements" VALUES('63922a67-c000-4e6f-b320-34b02eec4282','d16ad959-9228-40c7-b021-c569b35b124d','2b435edc-f9f9-4868-9ac9-5d0ca69041a8','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795697854735,1795697855122,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('49385e5c-6f60-4163-af7b-759d58316fc7','d16ad959-9228-40c7-b021-c569b35b124d','44d43146-616f-4e12-845b-be44c133c4aa','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795697855139,1795697867642,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('a28e1cd6-327c-48a6-8f2e-48bf4b9bf7a6','d16ad959-9228-40c7-b021-c569b35b124d','98bf04b6-21b1-4f3b-99f0-62312161bede','writer','DELETE FROM events WHERE id = 1','DELETE',1795697867656,1795697873858,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('1e526410-0d65-459e-a1ce-d4a40a2c6014','d16ad959-9228-40c7-b021-c569b35b124d','e0f524c8-1377-47bf-9a3e-f5b2b6d04c24','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795697873863,1795697873865,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('139eb4e2-ff17-4d29-afdb-4d76d4ce8012','d16ad959-9228-40c7-b021-c569b35b124d','91f13628-a491-4728-a564-bed55452d432','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795697873869,1795697875697,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('632aaa70-2d63-417b-8a09-7038c300f5ab','d16ad959-9228-40c7-b021-c569b35b124d','a9938a98-fc07-42cd-9302-92417fb174e8','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795697875802,1795697875983,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('a090aef2-3a60-4a0b-a6e9-e26d4119c61a','d16ad959-9228-40c7-b021-c569b35b124d','0940ef9b-9e58-49f7-9d67-8ae03dbcba43','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795697875994,1795697876015,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('c4748864-8eb8-40aa-b378-7081f7920494','d16ad959-9228-40c7-b021-c569b35b124d','b8e41d37-e942-4e5c-ac8a-457fe27f8e74','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795697876025,1795697876065,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('e3b62939-fd43-461a-a277-aa7e9afc725b','d16ad959-9228-40c7-b021-c569b35b124d','95c5a697-8699-437f-98f6-809a526f56e2','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795697876096,1795697876330,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('b155f852-08b8-4f7d-a744-8bd6f2877b45','d16ad959-9228-40c7-b021-c569b35b124d','5025e65f-736a-4b54-b9e4-51926298291f','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795697876385,1795697876449,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('5fd1452e-ca7e-478d-aaa7-ced11c9dea5a','d16ad959-9228-40c7-b021-c569b35b124d','42013a0d-0e8a-4953-957f-6fd54d5b336c','writer','CREATE TABLE kept (id INT)','CREATE',1795697876544,1795697876688,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('36b953fb-16e3-40dd-918a-06f6981b61a5','d16ad959-9228-40c7-b021-c569b35b124d','7b9d2a49-1ebe-44e6-91c2-5b003a0606e8','writer','CREATE TABLE gone (id INT)','CREATE',1795697876711,1795697876901,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('0d3bc0c4-5cdd-494d-aa39-f429a20174c5','d16ad959-9228-40c7-b021-c569b35b124d','8f79a521-2ea2-473d-aa34-7d8dbf1e5170','writer','DROP TABLE gone','DROP',1795697876912,1795697876913,'succeeded',13,1,0,NULL,NULL,NULL);
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
INSERT INTO "icemelt_streams" VALUES('7c542db1-c567-4e94-b78a-b54b02c89c7f','table','d1bbafba-c6f6-4508-80be-0d3094b866f3','DEFAULT',0,0,'SNOWFLAKE');
INSERT INTO "icemelt_streams" VALUES('3247a48e-9563-454d-8e77-dd11c141cbdf','table','d1bbafba-c6f6-4508-80be-0d3094b866f3','DEFAULT',0,0,'SINGDATA');
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('703577f8-71e3-469f-9120-e3b53415571b',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('d1bbafba-c6f6-4508-80be-0d3094b866f3',5,6);
INSERT INTO "icemelt_tracking" VALUES('d1bbafba-c6f6-4508-80be-0d3094b866f3',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('a98284e0-092b-4d23-9b90-35450b4dba46',11,NULL);
INSERT INTO "icemelt_tracking" VALUES('a97af24a-314a-4bf1-9661-4d9a7c43ea13',12,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('2b435edc-f9f9-4868-9ac9-5d0ca69041a8','d16ad959-9228-40c7-b021-c569b35b124d','writer',1,1795697855125);
INSERT INTO "icemelt_transactions" VALUES('44d43146-616f-4e12-845b-be44c133c4aa','d16ad959-9228-40c7-b021-c569b35b124d','writer',2,1795697867642);
INSERT INTO "icemelt_transactions" VALUES('98bf04b6-21b1-4f3b-99f0-62312161bede','d16ad959-9228-40c7-b021-c569b35b124d','writer',3,1795697873860);
INSERT INTO "icemelt_transactions" VALUES('e0f524c8-1377-47bf-9a3e-f5b2b6d04c24','d16ad959-9228-40c7-b021-c569b35b124d','writer',4,1795697873867);
INSERT INTO "icemelt_transactions" VALUES('91f13628-a491-4728-a564-bed55452d432','d16ad959-9228-40c7-b021-c569b35b124d','writer',5,1795697875698);
INSERT INTO "icemelt_transactions" VALUES('a9938a98-fc07-42cd-9302-92417fb174e8','d16ad959-9228-40c7-b021-c569b35b124d','writer',6,1795697875985);
INSERT INTO "icemelt_transactions" VALUES('0940ef9b-9e58-49f7-9d67-8ae03dbcba43','d16ad959-9228-40c7-b021-c569b35b124d','writer',7,1795697876016);
INSERT INTO "icemelt_transactions" VALUES('b8e41d37-e942-4e5c-ac8a-457fe27f8e74','d16ad959-9228-40c7-b021-c569b35b124d','writer',8,1795697876064);
INSERT INTO "icemelt_transactions" VALUES('95c5a697-8699-437f-98f6-809a526f56e2','d16ad959-9228-40c7-b021-c569b35b124d','writer',9,1795697876332);
INSERT INTO "icemelt_transactions" VALUES('5025e65f-736a-4b54-b9e4-51926298291f','d16ad959-9228-40c7-b021-c569b35b124d','writer',10,1795697876449);
INSERT INTO "icemelt_transactions" VALUES('42013a0d-0e8a-4953-957f-6fd54d5b336c','d16ad959-9228-40c7-b021-c569b35b124d','writer',11,1795697876689);
INSERT INTO "icemelt_transactions" VALUES('7b9d2a49-1ebe-44e6-91c2-5b003a0606e8','d16ad959-9228-40c7-b021-c569b35b124d','writer',12,1795697876903);
INSERT INTO "icemelt_transactions" VALUES('8f79a521-2ea2-473d-aa34-7d8dbf1e5170','d16ad959-9228-40c7-b021-c569b35b124d','writer',13,1795697876913);
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
INSERT INTO "icemelt_versions" VALUES('703577f8-71e3-469f-9120-e3b53415571b',1,1,1795697855125,NULL,'CREATE','[]','writer','63922a67-c000-4e6f-b320-34b02eec4282','2b435edc-f9f9-4868-9ac9-5d0ca69041a8',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-703577f8-71e3-469f-9120-e3b53415571b/metadata/00000-730f5cdd-252a-427b-8682-dd86802c6b2d.metadata.json');
INSERT INTO "icemelt_versions" VALUES('703577f8-71e3-469f-9120-e3b53415571b',2,2,1795697867642,8044369441940782203,'INSERT','[[8044369441940782203, 1, "append", 0, 2]]','writer','49385e5c-6f60-4163-af7b-759d58316fc7','44d43146-616f-4e12-845b-be44c133c4aa',0,2,640,2,0,0,'{lake}/warehouse/events-703577f8-71e3-469f-9120-e3b53415571b/metadata/00001-d9d3ff1a-d456-410b-b5dc-6321bee4328e.metadata.json');
INSERT INTO "icemelt_versions" VALUES('703577f8-71e3-469f-9120-e3b53415571b',3,3,1795697873860,942014318964233510,'DELETE','[[942014318964233510, 2, "delete", 2, 0]]','writer','a28e1cd6-327c-48a6-8f2e-48bf4b9bf7a6','98bf04b6-21b1-4f3b-99f0-62312161bede',0,1,682,0,0,1,'{lake}/warehouse/events-703577f8-71e3-469f-9120-e3b53415571b/metadata/00002-4a716ef9-bf6b-455c-aea1-6afc10be5dad.metadata.json');
INSERT INTO "icemelt_versions" VALUES('d1bbafba-c6f6-4508-80be-0d3094b866f3',1,5,1795697875698,NULL,'CREATE','[]','writer','139eb4e2-ff17-4d29-afdb-4d76d4ce8012','91f13628-a491-4728-a564-bed55452d432',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-d1bbafba-c6f6-4508-80be-0d3094b866f3/metadata/00000-437eb91e-cd8c-4740-aeb2-2facb1296d1b.metadata.json');
INSERT INTO "icemelt_versions" VALUES('a98284e0-092b-4d23-9b90-35450b4dba46',1,11,1795697876689,NULL,'CREATE','[]','writer','5fd1452e-ca7e-478d-aaa7-ced11c9dea5a','42013a0d-0e8a-4953-957f-6fd54d5b336c',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-a98284e0-092b-4d23-9b90-35450b4dba46/metadata/00000-1c509a0a-1149-4ed2-a8b6-2ec7af138d5e.metadata.json');
INSERT INTO "icemelt_versions" VALUES('a97af24a-314a-4bf1-9661-4d9a7c43ea13',1,12,1795697876903,NULL,'CREATE','[]','writer','36b953fb-16e3-40dd-918a-06f6981b61a5','7b9d2a49-1ebe-44e6-91c2-5b003a0606e8',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-a97af24a-314a-4bf1-9661-4d9a7c43ea13/metadata/00000-b75ebd9b-957b-40a6-b47a-40d28d778e9b.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	sources JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('a9b486fe-5453-4a80-94c8-5190fd585be6','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','[{"name": ["main", "other", "empty"], "columns": [{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}], "used": ["id", "v"]}]','UTC');
CREATE INDEX ix_icemelt_statements_started_at ON icemelt_statements (started_at);
CREATE INDEX ix_icemelt_transactions_commit_number ON icemelt_transactions (commit_number);
CREATE INDEX ix_icemelt_transactions_committed_at ON icemelt_transactions (committed_at);
CREATE INDEX ix_icemelt_versions_commit ON icemelt_versions (table_id, commit_number);
CREATE INDEX ix_icemelt_versions_time ON icemelt_versions (committed_at);
CREATE UNIQUE INDEX uq_icemelt_objects_live ON icemelt_objects (coalesce(parent_id, ''), folded, coalesce(session_id, '')) WHERE dropped_at IS NULL;
CREATE INDEX ix_icemelt_streams_source_id ON icemelt_streams (source_id);
COMMIT;
