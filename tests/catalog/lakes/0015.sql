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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-15e444ec-c5b8-4b3f-b55d-cc8495e2ad86/metadata/00002-94cf13c0-2359-4095-bb10-16dd107ec8e7.metadata.json','{lake}/warehouse/events-15e444ec-c5b8-4b3f-b55d-cc8495e2ad86/metadata/00001-dd45c202-4804-4573-bf22-8ab37d94a973.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-527a06c4-011e-4557-9dc8-c77a50865ef8/metadata/00000-dd802935-a199-4690-b40e-a0b8d28ab3d3.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-7bb15877-fb77-4c27-87a4-9def411cc94f/metadata/00000-3b023f4c-37ad-40aa-849d-b1369c41beb7.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-87b8415f-b9e2-4042-acd9-b845f31d615e/metadata/00000-7f36792e-abd6-4b7a-80c7-18774bc9466b.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','model','{lake}/warehouse/model-a94cb6b3-e92b-4340-9f10-2e454deacf30/metadata/00000-243963f5-6f30-4fa1-884f-e1cb17eac0c5.metadata.json','{lake}/warehouse/model-a94cb6b3-e92b-4340-9f10-2e454deacf30/metadata/00000-373400db-bba7-4aa9-86d0-643fb271a21b.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','twin','{lake}/warehouse/twin-4d07258b-a9fb-4a8c-85ca-3a495b5bb7f8/metadata/00000-ddf36374-230d-4cdd-9264-84e9347e6e44.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('c63471f9-e305-449f-8a5f-109ba6bb7dce','87b8415f-b9e2-4042-acd9-b845f31d615e','first','writer',1795879823265,1795879823265,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('82b60b86-c5b0-459b-a955-ad5256e01e54','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('3a476b88-46e1-450a-a442-5e5d9dab4b07','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
CREATE TABLE icemelt_dependencies (
	dependent_id VARCHAR(36) NOT NULL, 
	position INTEGER NOT NULL, 
	binding VARCHAR(16) NOT NULL, 
	object_id VARCHAR(36), 
	database_name VARCHAR(255), 
	schema_name VARCHAR(255), 
	name VARCHAR(255), 
	folded_database VARCHAR(1024), 
	folded_schema VARCHAR(1024), 
	folded_name VARCHAR(1024), 
	columns JSON, 
	used JSON, 
	CONSTRAINT pk_icemelt_dependencies PRIMARY KEY (dependent_id, position), 
	CONSTRAINT fk_icemelt_dependencies_dependent_id FOREIGN KEY(dependent_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_dependencies" VALUES('318f848d-f0c6-40be-a87c-a98ce8539503',0,'BY_ID','527a06c4-011e-4557-9dc8-c77a50865ef8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('7bb15877-fb77-4c27-87a4-9def411cc94f',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('abd4740f-7167-44b7-bb18-58422ea0c746',0,'BY_ID','527a06c4-011e-4557-9dc8-c77a50865ef8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('318f848d-f0c6-40be-a87c-a98ce8539503',0,'527a06c4-011e-4557-9dc8-c77a50865ef8','table','1@7',0,8,1795879822973);
INSERT INTO "icemelt_frontiers" VALUES('abd4740f-7167-44b7-bb18-58422ea0c746',0,'527a06c4-011e-4557-9dc8-c77a50865ef8','table','1@11',0,12,1795879823042);
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
	commit_time BIGINT NOT NULL, lease_token BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_icemelt_lake PRIMARY KEY (id)
);
INSERT INTO "icemelt_lake" VALUES(1,'b5ad2a88-cbfb-44df-9dba-0089c19cb31b','icemelt','{lake}/warehouse',17,1795879823089,0);
CREATE TABLE icemelt_leases (
	kind VARCHAR(16) NOT NULL, 
	resource_id VARCHAR(36) NOT NULL, 
	holder VARCHAR(36) NOT NULL, 
	token BIGINT NOT NULL, 
	acquired_at BIGINT NOT NULL, 
	life BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_leases PRIMARY KEY (kind, resource_id)
);
CREATE TABLE icemelt_listed_files (
	owner_id VARCHAR(36) NOT NULL, 
	path VARCHAR(2048) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	added_in BIGINT NOT NULL, 
	size BIGINT NOT NULL, 
	modified_at BIGINT NOT NULL, 
	etag VARCHAR(255) NOT NULL, 
	CONSTRAINT pk_icemelt_listed_files PRIMARY KEY (owner_id, path, since_commit), 
	CONSTRAINT fk_icemelt_listed_files_owner_id FOREIGN KEY(owner_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_listings (
	owner_id VARCHAR(36) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	statement_id VARCHAR(36), 
	transaction_id VARCHAR(36) NOT NULL, 
	added BIGINT NOT NULL, 
	changed BIGINT NOT NULL, 
	removed BIGINT NOT NULL, 
	bytes BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_listings PRIMARY KEY (owner_id, commit_number), 
	CONSTRAINT fk_icemelt_listings_owner_id FOREIGN KEY(owner_id) REFERENCES icemelt_objects (object_id)
);
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
INSERT INTO "icemelt_migrations" VALUES('0015');
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
INSERT INTO "icemelt_objects" VALUES('c438aba3-68b1-417a-b55d-ec0d691a2771','database',NULL,'main','main','',NULL,1795879811809,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('1ef7779a-0ff3-4d85-80ba-27be78792277','schema','c438aba3-68b1-417a-b55d-ec0d691a2771','public','public','',NULL,1795879811809,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('15e444ec-c5b8-4b3f-b55d-cc8495e2ad86','table','1ef7779a-0ff3-4d85-80ba-27be78792277','events','events','writer','with a history',1795879818735,NULL,NULL,NULL,NULL,NULL,'main.public','events','65cb81f7-975c-4ca5-839f-b8de9f53ab54','{lake}/warehouse/events-15e444ec-c5b8-4b3f-b55d-cc8495e2ad86/metadata/00002-94cf13c0-2359-4095-bb10-16dd107ec8e7.metadata.json',3,1655845640291088653);
INSERT INTO "icemelt_objects" VALUES('aa3faba5-f2ba-4fc1-9179-c06fb71a0d68','schema','c438aba3-68b1-417a-b55d-ec0d691a2771','other','other','writer',NULL,1795879822627,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('527a06c4-011e-4557-9dc8-c77a50865ef8','table','aa3faba5-f2ba-4fc1-9179-c06fb71a0d68','empty','empty','writer',NULL,1795879822937,NULL,NULL,NULL,NULL,NULL,'main.other','empty','472a9270-05fd-42b4-b185-1d10cca7a3a8','{lake}/warehouse/empty-527a06c4-011e-4557-9dc8-c77a50865ef8/metadata/00000-dd802935-a199-4690-b40e-a0b8d28ab3d3.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('318f848d-f0c6-40be-a87c-a98ce8539503','stream','aa3faba5-f2ba-4fc1-9179-c06fb71a0d68','watched','watched','writer',NULL,1795879822973,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('7bb15877-fb77-4c27-87a4-9def411cc94f','view','aa3faba5-f2ba-4fc1-9179-c06fb71a0d68','shown','shown','writer',NULL,1795879823028,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-7bb15877-fb77-4c27-87a4-9def411cc94f/metadata/00000-3b023f4c-37ad-40aa-849d-b1369c41beb7.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('82b60b86-c5b0-459b-a955-ad5256e01e54','file format','aa3faba5-f2ba-4fc1-9179-c06fb71a0d68','semicolons','semicolons','writer',NULL,1795879823034,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('3a476b88-46e1-450a-a442-5e5d9dab4b07','stage','aa3faba5-f2ba-4fc1-9179-c06fb71a0d68','landing','landing','writer','where files arrive',1795879823038,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('abd4740f-7167-44b7-bb18-58422ea0c746','stream','aa3faba5-f2ba-4fc1-9179-c06fb71a0d68','rows','rows','writer',NULL,1795879823042,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('87b8415f-b9e2-4042-acd9-b845f31d615e','table','aa3faba5-f2ba-4fc1-9179-c06fb71a0d68','kept','kept','writer',NULL,1795879823051,NULL,NULL,NULL,NULL,NULL,'main.other','kept','b43b30bf-4df6-4807-8270-ab1a72e6134b','{lake}/warehouse/kept-87b8415f-b9e2-4042-acd9-b845f31d615e/metadata/00000-7f36792e-abd6-4b7a-80c7-18774bc9466b.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('a94cb6b3-e92b-4340-9f10-2e454deacf30','table','aa3faba5-f2ba-4fc1-9179-c06fb71a0d68','model','model','writer',NULL,1795879823063,NULL,NULL,NULL,NULL,NULL,'main.other','model','579caf5c-f6e8-4e5d-87da-bd58f2b59a36','{lake}/warehouse/model-a94cb6b3-e92b-4340-9f10-2e454deacf30/metadata/00000-243963f5-6f30-4fa1-884f-e1cb17eac0c5.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('4d07258b-a9fb-4a8c-85ca-3a495b5bb7f8','table','aa3faba5-f2ba-4fc1-9179-c06fb71a0d68','twin','twin','writer',NULL,1795879823070,NULL,NULL,NULL,NULL,NULL,'main.other','twin','46d5d499-b5dc-45ea-a2c6-9cdecd3ec384','{lake}/warehouse/twin-4d07258b-a9fb-4a8c-85ca-3a495b5bb7f8/metadata/00000-ddf36374-230d-4cdd-9264-84e9347e6e44.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('c2e7bc61-de66-46bb-bc70-fe0da4202aa0','table','aa3faba5-f2ba-4fc1-9179-c06fb71a0d68','gone','gone','writer',NULL,1795879823084,1795879823089,'bbdee181-b7fd-4f94-a45a-f3a7a0e5d689',NULL,NULL,NULL,'main.other','gone','6a5bf079-4cf7-45a3-914a-20d88461d557','{lake}/warehouse/gone-c2e7bc61-de66-46bb-bc70-fe0da4202aa0/metadata/00000-15403be1-4e68-48a3-9407-e03f31aea7b0.metadata.json',1,NULL);
CREATE TABLE icemelt_open_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	name VARCHAR(255), 
	started_at BIGINT NOT NULL, 
	commit_number BIGINT NOT NULL, 
	waits_for VARCHAR(36), 
	aborted_by VARCHAR(255), 
	CONSTRAINT pk_icemelt_open_transactions PRIMARY KEY (transaction_id)
);
CREATE TABLE icemelt_running (
	statement_id VARCHAR(36) NOT NULL, 
	server_id VARCHAR(36) NOT NULL, 
	key_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	text TEXT NOT NULL, 
	submitted_at BIGINT NOT NULL, 
	started_at BIGINT, 
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
INSERT INTO "icemelt_sequences" VALUES('15e444ec-c5b8-4b3f-b55d-cc8495e2ad86',2,1,1795879821213);
INSERT INTO "icemelt_sequences" VALUES('15e444ec-c5b8-4b3f-b55d-cc8495e2ad86',3,2,1795879822621);
CREATE TABLE icemelt_sharing (
	table_id VARCHAR(36) NOT NULL, 
	family_id VARCHAR(36) NOT NULL, 
	folder TEXT NOT NULL, 
	collection VARCHAR(16), 
	CONSTRAINT pk_icemelt_sharing PRIMARY KEY (table_id)
);
INSERT INTO "icemelt_sharing" VALUES('a94cb6b3-e92b-4340-9f10-2e454deacf30','a94cb6b3-e92b-4340-9f10-2e454deacf30','{lake}/warehouse/model-a94cb6b3-e92b-4340-9f10-2e454deacf30',NULL);
INSERT INTO "icemelt_sharing" VALUES('4d07258b-a9fb-4a8c-85ca-3a495b5bb7f8','a94cb6b3-e92b-4340-9f10-2e454deacf30','{lake}/warehouse/twin-4d07258b-a9fb-4a8c-85ca-3a495b5bb7f8',NULL);
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
INSERT INTO "icemelt_statements" VALUES('9d0603d8-7419-4e70-8393-272b4cb4d5c4','95e1fb18-11e5-40f7-a6d4-9a0887df143b','cefb85d3-c517-4973-8a8c-89b22d3eac0b','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795879818521,1795879818733,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('45279385-7340-4aaf-b8df-4a6f7176e3d8','95e1fb18-11e5-40f7-a6d4-9a0887df143b','0b45d2e0-63b2-4569-b0eb-0395d1111a8c','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795879818744,1795879821210,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('ad3ff7ed-06ff-4f23-a580-49abdc2b5bed','95e1fb18-11e5-40f7-a6d4-9a0887df143b','7d9cc97c-471c-4dff-b329-233da501b0b2','writer','DELETE FROM events WHERE id = 1','DELETE',1795879821216,1795879822619,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('f177996c-baa0-40bd-8a33-db847c13e901','95e1fb18-11e5-40f7-a6d4-9a0887df143b','1f2a19ec-7ed2-4bdb-bb73-a113fccfdc61','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795879822622,1795879822626,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('752ea21e-e0fd-4758-8455-b401bb908164','95e1fb18-11e5-40f7-a6d4-9a0887df143b','cd7e5670-9b84-4347-ab86-370422627087','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795879822633,1795879822937,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('9ee5ec9c-0ac7-4fca-8c5b-64603d8078c1','95e1fb18-11e5-40f7-a6d4-9a0887df143b','46aa9389-d905-4f50-990c-f1ff8525751b','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795879822940,1795879822955,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('74d67ff9-8f40-40e0-8087-947612efd46e','95e1fb18-11e5-40f7-a6d4-9a0887df143b','b4b6b14d-13f1-456e-9a63-562dd4953c59','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795879822960,1795879822967,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('db24fb10-a6dc-4e41-b7f2-6ff03bba7b6a','95e1fb18-11e5-40f7-a6d4-9a0887df143b','5cec112c-6705-4082-a4de-88f8308ec4f7','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795879822968,1795879822971,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('4f1b06f7-0429-40b3-aa23-de8db51a61a3','95e1fb18-11e5-40f7-a6d4-9a0887df143b','3fd219f9-292e-4548-89b7-2eb35a14a5eb','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795879822975,1795879823026,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('c9ed54ca-25da-47a2-bbba-a39b87f1ad90','95e1fb18-11e5-40f7-a6d4-9a0887df143b','b965dee3-26f9-4988-aad1-f9acb7fbd995','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795879823031,1795879823033,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('10135ace-988a-4aaa-8ea7-d3e9eadfbfa9','95e1fb18-11e5-40f7-a6d4-9a0887df143b','ccf97d1b-79da-48d9-b185-772399ad4d30','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795879823036,1795879823038,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('cb282d88-78a5-4cb5-a4bb-8268a0d0539a','95e1fb18-11e5-40f7-a6d4-9a0887df143b','2b121e2c-0388-4e72-9dac-0599230f17a8','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795879823040,1795879823042,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('9fd9cb3f-204d-4db4-af43-2bfaa5070bb7','95e1fb18-11e5-40f7-a6d4-9a0887df143b','737336f6-693f-421e-81ca-de917a66b65e','writer','CREATE TABLE kept (id INT)','CREATE',1795879823043,1795879823051,'succeeded',13,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('5fe96b7c-a640-4cb1-b9db-7a6e22bb5ce6','95e1fb18-11e5-40f7-a6d4-9a0887df143b','445a6619-bb6e-4c60-98c3-a10e8bc3d68d','writer','CREATE TABLE model (id INT)','CREATE',1795879823055,1795879823063,'succeeded',14,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('1f29ee0b-9d03-4c27-8a84-2fdd01af36f5','95e1fb18-11e5-40f7-a6d4-9a0887df143b','746174be-2cee-4df2-870f-30f15c3466e9','writer','CREATE TABLE twin CLONE model','CREATE',1795879823065,1795879823068,'succeeded',15,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('cf48efb7-b891-452f-8cae-f26f36107b23','95e1fb18-11e5-40f7-a6d4-9a0887df143b','fc968d0b-9e6c-4871-8edb-da217d39c79e','writer','CREATE TABLE gone (id INT)','CREATE',1795879823076,1795879823085,'succeeded',16,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('1f6fe670-0c43-49dd-b20b-8b446bfae3f1','95e1fb18-11e5-40f7-a6d4-9a0887df143b','372da23b-5b75-4d6b-a444-3f9f3a934dce','writer','DROP TABLE gone','DROP',1795879823086,1795879823087,'succeeded',17,1,0,NULL,NULL,NULL);
CREATE TABLE icemelt_streams (
	stream_id VARCHAR(36) NOT NULL, 
	source_kind VARCHAR(16) NOT NULL, 
	source_id VARCHAR(36) NOT NULL, 
	mode VARCHAR(16) NOT NULL, 
	move BIGINT NOT NULL, 
	dialect VARCHAR(16) DEFAULT 'SNOWFLAKE' NOT NULL, source_version BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_icemelt_streams PRIMARY KEY (stream_id), 
	CONSTRAINT fk_icemelt_streams_stream_id FOREIGN KEY(stream_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT fk_icemelt_streams_source_id FOREIGN KEY(source_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_streams" VALUES('318f848d-f0c6-40be-a87c-a98ce8539503','table','527a06c4-011e-4557-9dc8-c77a50865ef8','DEFAULT',0,'SNOWFLAKE',0);
INSERT INTO "icemelt_streams" VALUES('abd4740f-7167-44b7-bb18-58422ea0c746','table','527a06c4-011e-4557-9dc8-c77a50865ef8','DEFAULT',0,'SINGDATA',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('15e444ec-c5b8-4b3f-b55d-cc8495e2ad86',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('527a06c4-011e-4557-9dc8-c77a50865ef8',5,6);
INSERT INTO "icemelt_tracking" VALUES('527a06c4-011e-4557-9dc8-c77a50865ef8',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('87b8415f-b9e2-4042-acd9-b845f31d615e',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('a94cb6b3-e92b-4340-9f10-2e454deacf30',14,NULL);
INSERT INTO "icemelt_tracking" VALUES('4d07258b-a9fb-4a8c-85ca-3a495b5bb7f8',15,NULL);
INSERT INTO "icemelt_tracking" VALUES('c2e7bc61-de66-46bb-bc70-fe0da4202aa0',16,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('cefb85d3-c517-4973-8a8c-89b22d3eac0b','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',1,1795879818735);
INSERT INTO "icemelt_transactions" VALUES('0b45d2e0-63b2-4569-b0eb-0395d1111a8c','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',2,1795879821213);
INSERT INTO "icemelt_transactions" VALUES('7d9cc97c-471c-4dff-b329-233da501b0b2','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',3,1795879822621);
INSERT INTO "icemelt_transactions" VALUES('1f2a19ec-7ed2-4bdb-bb73-a113fccfdc61','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',4,1795879822627);
INSERT INTO "icemelt_transactions" VALUES('cd7e5670-9b84-4347-ab86-370422627087','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',5,1795879822937);
INSERT INTO "icemelt_transactions" VALUES('46aa9389-d905-4f50-990c-f1ff8525751b','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',6,1795879822957);
INSERT INTO "icemelt_transactions" VALUES('b4b6b14d-13f1-456e-9a63-562dd4953c59','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',7,1795879822967);
INSERT INTO "icemelt_transactions" VALUES('5cec112c-6705-4082-a4de-88f8308ec4f7','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',8,1795879822973);
INSERT INTO "icemelt_transactions" VALUES('3fd219f9-292e-4548-89b7-2eb35a14a5eb','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',9,1795879823028);
INSERT INTO "icemelt_transactions" VALUES('b965dee3-26f9-4988-aad1-f9acb7fbd995','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',10,1795879823034);
INSERT INTO "icemelt_transactions" VALUES('ccf97d1b-79da-48d9-b185-772399ad4d30','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',11,1795879823038);
INSERT INTO "icemelt_transactions" VALUES('2b121e2c-0388-4e72-9dac-0599230f17a8','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',12,1795879823042);
INSERT INTO "icemelt_transactions" VALUES('737336f6-693f-421e-81ca-de917a66b65e','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',13,1795879823051);
INSERT INTO "icemelt_transactions" VALUES('445a6619-bb6e-4c60-98c3-a10e8bc3d68d','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',14,1795879823063);
INSERT INTO "icemelt_transactions" VALUES('746174be-2cee-4df2-870f-30f15c3466e9','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',15,1795879823070);
INSERT INTO "icemelt_transactions" VALUES('fc968d0b-9e6c-4871-8edb-da217d39c79e','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',16,1795879823084);
INSERT INTO "icemelt_transactions" VALUES('372da23b-5b75-4d6b-a444-3f9f3a934dce','95e1fb18-11e5-40f7-a6d4-9a0887df143b','writer',17,1795879823089);
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
INSERT INTO "icemelt_versions" VALUES('15e444ec-c5b8-4b3f-b55d-cc8495e2ad86',1,1,1795879818735,NULL,'CREATE','[]','writer','9d0603d8-7419-4e70-8393-272b4cb4d5c4','cefb85d3-c517-4973-8a8c-89b22d3eac0b',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-15e444ec-c5b8-4b3f-b55d-cc8495e2ad86/metadata/00000-0e08b570-fb0e-4b61-bb78-f8c542857547.metadata.json');
INSERT INTO "icemelt_versions" VALUES('15e444ec-c5b8-4b3f-b55d-cc8495e2ad86',2,2,1795879821213,1126938446106449801,'INSERT','[[1126938446106449801, 1, "append", 0, 2]]','writer','45279385-7340-4aaf-b8df-4a6f7176e3d8','0b45d2e0-63b2-4569-b0eb-0395d1111a8c',0,2,640,2,0,0,'{lake}/warehouse/events-15e444ec-c5b8-4b3f-b55d-cc8495e2ad86/metadata/00001-dd45c202-4804-4573-bf22-8ab37d94a973.metadata.json');
INSERT INTO "icemelt_versions" VALUES('15e444ec-c5b8-4b3f-b55d-cc8495e2ad86',3,3,1795879822621,1655845640291088653,'DELETE','[[1655845640291088653, 2, "delete", 2, 0]]','writer','ad3ff7ed-06ff-4f23-a580-49abdc2b5bed','7d9cc97c-471c-4dff-b329-233da501b0b2',0,1,682,0,0,1,'{lake}/warehouse/events-15e444ec-c5b8-4b3f-b55d-cc8495e2ad86/metadata/00002-94cf13c0-2359-4095-bb10-16dd107ec8e7.metadata.json');
INSERT INTO "icemelt_versions" VALUES('527a06c4-011e-4557-9dc8-c77a50865ef8',1,5,1795879822937,NULL,'CREATE','[]','writer','752ea21e-e0fd-4758-8455-b401bb908164','cd7e5670-9b84-4347-ab86-370422627087',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-527a06c4-011e-4557-9dc8-c77a50865ef8/metadata/00000-dd802935-a199-4690-b40e-a0b8d28ab3d3.metadata.json');
INSERT INTO "icemelt_versions" VALUES('87b8415f-b9e2-4042-acd9-b845f31d615e',1,13,1795879823051,NULL,'CREATE','[]','writer','9fd9cb3f-204d-4db4-af43-2bfaa5070bb7','737336f6-693f-421e-81ca-de917a66b65e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-87b8415f-b9e2-4042-acd9-b845f31d615e/metadata/00000-7f36792e-abd6-4b7a-80c7-18774bc9466b.metadata.json');
INSERT INTO "icemelt_versions" VALUES('a94cb6b3-e92b-4340-9f10-2e454deacf30',1,14,1795879823063,NULL,'CREATE','[]','writer','5fe96b7c-a640-4cb1-b9db-7a6e22bb5ce6','445a6619-bb6e-4c60-98c3-a10e8bc3d68d',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/model-a94cb6b3-e92b-4340-9f10-2e454deacf30/metadata/00000-243963f5-6f30-4fa1-884f-e1cb17eac0c5.metadata.json');
INSERT INTO "icemelt_versions" VALUES('4d07258b-a9fb-4a8c-85ca-3a495b5bb7f8',1,15,1795879823070,NULL,'CLONE','[]','writer','1f29ee0b-9d03-4c27-8a84-2fdd01af36f5','746174be-2cee-4df2-870f-30f15c3466e9',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/twin-4d07258b-a9fb-4a8c-85ca-3a495b5bb7f8/metadata/00000-ddf36374-230d-4cdd-9264-84e9347e6e44.metadata.json');
INSERT INTO "icemelt_versions" VALUES('c2e7bc61-de66-46bb-bc70-fe0da4202aa0',1,16,1795879823084,NULL,'CREATE','[]','writer','cf48efb7-b891-452f-8cae-f26f36107b23','fc968d0b-9e6c-4871-8edb-da217d39c79e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-c2e7bc61-de66-46bb-bc70-fe0da4202aa0/metadata/00000-15403be1-4e68-48a3-9407-e03f31aea7b0.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('7bb15877-fb77-4c27-87a4-9def411cc94f','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
CREATE INDEX ix_icemelt_statements_started_at ON icemelt_statements (started_at);
CREATE INDEX ix_icemelt_transactions_commit_number ON icemelt_transactions (commit_number);
CREATE INDEX ix_icemelt_transactions_committed_at ON icemelt_transactions (committed_at);
CREATE INDEX ix_icemelt_versions_commit ON icemelt_versions (table_id, commit_number);
CREATE INDEX ix_icemelt_versions_time ON icemelt_versions (committed_at);
CREATE UNIQUE INDEX uq_icemelt_objects_live ON icemelt_objects (coalesce(parent_id, ''), folded, coalesce(session_id, '')) WHERE dropped_at IS NULL;
CREATE INDEX ix_icemelt_streams_source_id ON icemelt_streams (source_id);
CREATE INDEX ix_icemelt_dependencies_object_id ON icemelt_dependencies (object_id);
CREATE INDEX ix_icemelt_dependencies_folded_name ON icemelt_dependencies (folded_name);
CREATE INDEX ix_icemelt_objects_folded ON icemelt_objects (folded);
CREATE INDEX ix_icemelt_leases_holder ON icemelt_leases (holder);
CREATE INDEX ix_icemelt_objects_drop_id ON icemelt_objects (drop_id) WHERE drop_id IS NOT NULL;
CREATE INDEX ix_icemelt_listed_files_since_commit ON icemelt_listed_files (owner_id, since_commit);
CREATE INDEX ix_icemelt_listed_files_until_commit ON icemelt_listed_files (owner_id, until_commit);
CREATE INDEX ix_icemelt_listings_commit_number ON icemelt_listings (commit_number);
CREATE INDEX ix_icemelt_listings_committed_at ON icemelt_listings (committed_at);
CREATE INDEX ix_icemelt_sharing_family_id ON icemelt_sharing (family_id);
CREATE INDEX ix_icemelt_objects_catalog_table_name ON icemelt_objects (catalog_table_name);
CREATE TRIGGER icemelt_keep_shared BEFORE DELETE ON iceberg_tables
    WHEN EXISTS (
    SELECT 1 FROM icemelt_objects o JOIN icemelt_sharing s ON s.table_id = o.object_id
    WHERE o.catalog_table_name = OLD.table_name AND o.namespace = OLD.table_namespace
    AND o.kind = 'table' AND o.dropped_at IS NULL AND o.session_id IS NULL
    AND OLD.catalog_name IN (SELECT catalog_name FROM icemelt_lake)
    AND EXISTS (
        SELECT 1 FROM icemelt_sharing p JOIN icemelt_objects q ON q.object_id = p.table_id
        WHERE p.family_id = s.family_id AND p.table_id <> s.table_id
    )) BEGIN SELECT RAISE(ABORT, 'this table shares files with a clone: use DROP TABLE or ALTER TABLE of icemelt'); END;
CREATE TRIGGER icemelt_keep_shared_name
    BEFORE UPDATE OF catalog_name, table_namespace, table_name ON iceberg_tables
    WHEN (NEW.table_name <> OLD.table_name OR NEW.table_namespace <> OLD.table_namespace
    OR NEW.catalog_name <> OLD.catalog_name) AND EXISTS (
    SELECT 1 FROM icemelt_objects o JOIN icemelt_sharing s ON s.table_id = o.object_id
    WHERE o.catalog_table_name = OLD.table_name AND o.namespace = OLD.table_namespace
    AND o.kind = 'table' AND o.dropped_at IS NULL AND o.session_id IS NULL
    AND OLD.catalog_name IN (SELECT catalog_name FROM icemelt_lake)
    AND EXISTS (
        SELECT 1 FROM icemelt_sharing p JOIN icemelt_objects q ON q.object_id = p.table_id
        WHERE p.family_id = s.family_id AND p.table_id <> s.table_id
    )) BEGIN SELECT RAISE(ABORT, 'this table shares files with a clone: use DROP TABLE or ALTER TABLE of icemelt'); END;
COMMIT;
