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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-9859dd05-915b-45c5-945e-c00741a1017a/metadata/00002-ae073181-0ce5-41eb-ae69-1bd3ea659e37.metadata.json','{lake}/warehouse/events-9859dd05-915b-45c5-945e-c00741a1017a/metadata/00001-f06d8364-b7cc-4ca0-aeff-abe922290993.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-4b45639d-8e67-4633-98ad-dfff1e2ee2a1/metadata/00000-94122793-d993-4da0-9e20-d8082dd6aff6.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-511209ec-a082-41b9-943c-e6fd7acdd4d4/metadata/00000-7c2539de-07dd-464b-a30d-b80bd312893d.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-fb3713f8-d739-4629-8db4-13dd450d5dcc/metadata/00000-c212beca-80a9-4e74-bcfb-ee48c042aaec.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('54d2c2aa-260e-432e-afaf-e08a5ee3b79a','fb3713f8-d739-4629-8db4-13dd450d5dcc','first','writer',1795868877618,1795868877618,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('5ad5d54b-ea4c-48a0-9c51-3f12c3b5dd98','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('5def6661-5b66-438e-a038-a71bec16d30a','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false}');
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
INSERT INTO "icemelt_dependencies" VALUES('b9c27915-07b0-44b9-be56-da19041f33d9',0,'BY_ID','4b45639d-8e67-4633-98ad-dfff1e2ee2a1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('511209ec-a082-41b9-943c-e6fd7acdd4d4',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('b80c75ec-98ee-447e-a808-0515fb22dca4',0,'BY_ID','4b45639d-8e67-4633-98ad-dfff1e2ee2a1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('b9c27915-07b0-44b9-be56-da19041f33d9',0,'4b45639d-8e67-4633-98ad-dfff1e2ee2a1','table','1@7',0,8,1795868876259);
INSERT INTO "icemelt_frontiers" VALUES('b80c75ec-98ee-447e-a808-0515fb22dca4',0,'4b45639d-8e67-4633-98ad-dfff1e2ee2a1','table','1@11',0,12,1795868877406);
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
INSERT INTO "icemelt_lake" VALUES(1,'9fdabf48-f037-43d3-83fc-2f1a30dd5b34','icemelt','{lake}/warehouse',15,1795868877586,0);
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
INSERT INTO "icemelt_migrations" VALUES('0012');
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
INSERT INTO "icemelt_objects" VALUES('a6d2ddf2-5338-4be8-ac11-34642085613e','database',NULL,'main','main','',NULL,1795868826343,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('4e4a21c9-dd5c-49ad-9f26-8a243e73d662','schema','a6d2ddf2-5338-4be8-ac11-34642085613e','public','public','',NULL,1795868826343,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('9859dd05-915b-45c5-945e-c00741a1017a','table','4e4a21c9-dd5c-49ad-9f26-8a243e73d662','events','events','writer','with a history',1795868852332,NULL,NULL,NULL,NULL,NULL,'main.public','events','228d4466-efec-43b5-aad8-eda505747082','{lake}/warehouse/events-9859dd05-915b-45c5-945e-c00741a1017a/metadata/00002-ae073181-0ce5-41eb-ae69-1bd3ea659e37.metadata.json',3,5867034322615967736);
INSERT INTO "icemelt_objects" VALUES('3252ecd8-db27-4921-97c8-08e14a13ebb7','schema','a6d2ddf2-5338-4be8-ac11-34642085613e','other','other','writer',NULL,1795868874484,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('4b45639d-8e67-4633-98ad-dfff1e2ee2a1','table','3252ecd8-db27-4921-97c8-08e14a13ebb7','empty','empty','writer',NULL,1795868876188,NULL,NULL,NULL,NULL,NULL,'main.other','empty','f6ab546c-db20-46ac-a8ae-7202bd229286','{lake}/warehouse/empty-4b45639d-8e67-4633-98ad-dfff1e2ee2a1/metadata/00000-94122793-d993-4da0-9e20-d8082dd6aff6.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('b9c27915-07b0-44b9-be56-da19041f33d9','stream','3252ecd8-db27-4921-97c8-08e14a13ebb7','watched','watched','writer',NULL,1795868876259,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('511209ec-a082-41b9-943c-e6fd7acdd4d4','view','3252ecd8-db27-4921-97c8-08e14a13ebb7','shown','shown','writer',NULL,1795868877110,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-511209ec-a082-41b9-943c-e6fd7acdd4d4/metadata/00000-7c2539de-07dd-464b-a30d-b80bd312893d.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('5ad5d54b-ea4c-48a0-9c51-3f12c3b5dd98','file format','3252ecd8-db27-4921-97c8-08e14a13ebb7','semicolons','semicolons','writer',NULL,1795868877230,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('5def6661-5b66-438e-a038-a71bec16d30a','stage','3252ecd8-db27-4921-97c8-08e14a13ebb7','landing','landing','writer','where files arrive',1795868877280,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('b80c75ec-98ee-447e-a808-0515fb22dca4','stream','3252ecd8-db27-4921-97c8-08e14a13ebb7','rows','rows','writer',NULL,1795868877406,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('fb3713f8-d739-4629-8db4-13dd450d5dcc','table','3252ecd8-db27-4921-97c8-08e14a13ebb7','kept','kept','writer',NULL,1795868877498,NULL,NULL,NULL,NULL,NULL,'main.other','kept','3525479e-76b7-4960-926c-05dc3ff65a36','{lake}/warehouse/kept-fb3713f8-d739-4629-8db4-13dd450d5dcc/metadata/00000-c212beca-80a9-4e74-bcfb-ee48c042aaec.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('e2b9ec6f-840b-4c41-b04c-5c4b00573ed3','table','3252ecd8-db27-4921-97c8-08e14a13ebb7','gone','gone','writer',NULL,1795868877556,1795868877586,'1291aafb-ce40-48cd-90f0-3761f7c8e230',NULL,NULL,NULL,'main.other','gone','bea84977-10ae-4328-8928-ddba351d9ee9','{lake}/warehouse/gone-e2b9ec6f-840b-4c41-b04c-5c4b00573ed3/metadata/00000-a4168fa3-1036-440d-93c0-71301e2d8582.metadata.json',1,NULL);
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
INSERT INTO "icemelt_sequences" VALUES('9859dd05-915b-45c5-945e-c00741a1017a',2,1,1795868865751);
INSERT INTO "icemelt_sequences" VALUES('9859dd05-915b-45c5-945e-c00741a1017a',3,2,1795868874444);
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
INSERT INTO "icemelt_statements" VALUES('8a907b6e-4a9f-4c8c-a21a-5ff4fbb22302','72df4caa-c59e-4008-9db2-1f03801a5ade','c51065af-269a-4f03-856b-e639ade114ce','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795868850874,1795868852331,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('49476970-8992-407a-9397-cbeae1ad81f1','72df4caa-c59e-4008-9db2-1f03801a5ade','11f89110-a82c-4d8e-847c-dda446f398a9','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795868852373,1795868865750,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('8b8771be-7ab2-49de-a601-c4fe744827a4','72df4caa-c59e-4008-9db2-1f03801a5ade','7f93b62b-728e-42e8-be16-2c37141e34ce','writer','DELETE FROM events WHERE id = 1','DELETE',1795868865818,1795868874424,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('877eed93-9b4c-4f0c-9c4e-8a569d7455e1','72df4caa-c59e-4008-9db2-1f03801a5ade','1c0ffc04-e3ae-4bff-ba8b-4d8155f278c7','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795868874459,1795868874482,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('ff228a22-0c5c-4d38-b5cf-7c51d8ab3fec','72df4caa-c59e-4008-9db2-1f03801a5ade','2c697516-72c8-4f46-95e1-b1e7b76f608e','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795868874521,1795868876187,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('b0a40290-c735-455b-9c5b-29b6433d5a68','72df4caa-c59e-4008-9db2-1f03801a5ade','69a91b36-d514-45f7-87b8-c9adf6b4972d','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795868876195,1795868876222,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('b470e5eb-464a-4010-9ad3-d942ff6a1cf3','72df4caa-c59e-4008-9db2-1f03801a5ade','b798af81-e0fc-4576-95c8-2baef6281547','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795868876229,1795868876245,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('94a1b84e-9ac7-4269-8d9d-01105dfd610f','72df4caa-c59e-4008-9db2-1f03801a5ade','c3b55d2d-be56-40dc-8eff-854ac8974a60','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795868876251,1795868876259,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('6df92802-6ada-44e3-a71f-be852368d13c','72df4caa-c59e-4008-9db2-1f03801a5ade','b0cb8ee3-f1ac-4193-b99c-ba1318cb0a27','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795868876323,1795868877109,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('2d1a232a-6840-4e2c-b1bd-8aceafa679c3','72df4caa-c59e-4008-9db2-1f03801a5ade','e2d7b65a-2ccd-4aa3-b435-005d0e99ece3','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795868877205,1795868877228,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('de94043b-316b-4420-b403-6c3a1767703b','72df4caa-c59e-4008-9db2-1f03801a5ade','ff9be07d-461b-4df9-bb6d-3c5d8c2c3005','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795868877264,1795868877279,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('6f9b26cf-702b-4649-afef-d89ce899c2fd','72df4caa-c59e-4008-9db2-1f03801a5ade','677e3e98-e734-414f-ba8d-12d5e65b3e1b','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795868877384,1795868877406,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('ac0d0a65-5650-4fad-9b4f-965a3053ca45','72df4caa-c59e-4008-9db2-1f03801a5ade','743a3f13-62fb-4b12-833e-11e00bbcd67e','writer','CREATE TABLE kept (id INT)','CREATE',1795868877432,1795868877495,'succeeded',13,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('c2f37b37-c32e-47d1-b661-7a23eb1a1190','72df4caa-c59e-4008-9db2-1f03801a5ade','e9b969d1-b25a-4eec-b567-a42ca2a16d18','writer','CREATE TABLE gone (id INT)','CREATE',1795868877514,1795868877555,'succeeded',14,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('99fba37b-fcd8-4448-b975-b19c87314ea5','72df4caa-c59e-4008-9db2-1f03801a5ade','5d8b14f3-7584-4e0c-87f7-86951b39edf3','writer','DROP TABLE gone','DROP',1795868877574,1795868877586,'succeeded',15,1,0,NULL,NULL,NULL);
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
INSERT INTO "icemelt_streams" VALUES('b9c27915-07b0-44b9-be56-da19041f33d9','table','4b45639d-8e67-4633-98ad-dfff1e2ee2a1','DEFAULT',0,'SNOWFLAKE',0);
INSERT INTO "icemelt_streams" VALUES('b80c75ec-98ee-447e-a808-0515fb22dca4','table','4b45639d-8e67-4633-98ad-dfff1e2ee2a1','DEFAULT',0,'SINGDATA',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('9859dd05-915b-45c5-945e-c00741a1017a',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('4b45639d-8e67-4633-98ad-dfff1e2ee2a1',5,6);
INSERT INTO "icemelt_tracking" VALUES('4b45639d-8e67-4633-98ad-dfff1e2ee2a1',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('fb3713f8-d739-4629-8db4-13dd450d5dcc',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('e2b9ec6f-840b-4c41-b04c-5c4b00573ed3',14,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('c51065af-269a-4f03-856b-e639ade114ce','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',1,1795868852332);
INSERT INTO "icemelt_transactions" VALUES('11f89110-a82c-4d8e-847c-dda446f398a9','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',2,1795868865751);
INSERT INTO "icemelt_transactions" VALUES('7f93b62b-728e-42e8-be16-2c37141e34ce','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',3,1795868874444);
INSERT INTO "icemelt_transactions" VALUES('1c0ffc04-e3ae-4bff-ba8b-4d8155f278c7','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',4,1795868874484);
INSERT INTO "icemelt_transactions" VALUES('2c697516-72c8-4f46-95e1-b1e7b76f608e','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',5,1795868876188);
INSERT INTO "icemelt_transactions" VALUES('69a91b36-d514-45f7-87b8-c9adf6b4972d','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',6,1795868876223);
INSERT INTO "icemelt_transactions" VALUES('b798af81-e0fc-4576-95c8-2baef6281547','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',7,1795868876245);
INSERT INTO "icemelt_transactions" VALUES('c3b55d2d-be56-40dc-8eff-854ac8974a60','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',8,1795868876259);
INSERT INTO "icemelt_transactions" VALUES('b0cb8ee3-f1ac-4193-b99c-ba1318cb0a27','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',9,1795868877110);
INSERT INTO "icemelt_transactions" VALUES('e2d7b65a-2ccd-4aa3-b435-005d0e99ece3','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',10,1795868877230);
INSERT INTO "icemelt_transactions" VALUES('ff9be07d-461b-4df9-bb6d-3c5d8c2c3005','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',11,1795868877280);
INSERT INTO "icemelt_transactions" VALUES('677e3e98-e734-414f-ba8d-12d5e65b3e1b','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',12,1795868877406);
INSERT INTO "icemelt_transactions" VALUES('743a3f13-62fb-4b12-833e-11e00bbcd67e','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',13,1795868877498);
INSERT INTO "icemelt_transactions" VALUES('e9b969d1-b25a-4eec-b567-a42ca2a16d18','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',14,1795868877556);
INSERT INTO "icemelt_transactions" VALUES('5d8b14f3-7584-4e0c-87f7-86951b39edf3','72df4caa-c59e-4008-9db2-1f03801a5ade','writer',15,1795868877586);
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
INSERT INTO "icemelt_versions" VALUES('9859dd05-915b-45c5-945e-c00741a1017a',1,1,1795868852332,NULL,'CREATE','[]','writer','8a907b6e-4a9f-4c8c-a21a-5ff4fbb22302','c51065af-269a-4f03-856b-e639ade114ce',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-9859dd05-915b-45c5-945e-c00741a1017a/metadata/00000-90513af3-506b-4b4b-85db-f51c177fc275.metadata.json');
INSERT INTO "icemelt_versions" VALUES('9859dd05-915b-45c5-945e-c00741a1017a',2,2,1795868865751,3655226736682410315,'INSERT','[[3655226736682410315, 1, "append", 0, 2]]','writer','49476970-8992-407a-9397-cbeae1ad81f1','11f89110-a82c-4d8e-847c-dda446f398a9',0,2,640,2,0,0,'{lake}/warehouse/events-9859dd05-915b-45c5-945e-c00741a1017a/metadata/00001-f06d8364-b7cc-4ca0-aeff-abe922290993.metadata.json');
INSERT INTO "icemelt_versions" VALUES('9859dd05-915b-45c5-945e-c00741a1017a',3,3,1795868874444,5867034322615967736,'DELETE','[[5867034322615967736, 2, "delete", 2, 0]]','writer','8b8771be-7ab2-49de-a601-c4fe744827a4','7f93b62b-728e-42e8-be16-2c37141e34ce',0,1,682,0,0,1,'{lake}/warehouse/events-9859dd05-915b-45c5-945e-c00741a1017a/metadata/00002-ae073181-0ce5-41eb-ae69-1bd3ea659e37.metadata.json');
INSERT INTO "icemelt_versions" VALUES('4b45639d-8e67-4633-98ad-dfff1e2ee2a1',1,5,1795868876188,NULL,'CREATE','[]','writer','ff228a22-0c5c-4d38-b5cf-7c51d8ab3fec','2c697516-72c8-4f46-95e1-b1e7b76f608e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-4b45639d-8e67-4633-98ad-dfff1e2ee2a1/metadata/00000-94122793-d993-4da0-9e20-d8082dd6aff6.metadata.json');
INSERT INTO "icemelt_versions" VALUES('fb3713f8-d739-4629-8db4-13dd450d5dcc',1,13,1795868877498,NULL,'CREATE','[]','writer','ac0d0a65-5650-4fad-9b4f-965a3053ca45','743a3f13-62fb-4b12-833e-11e00bbcd67e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-fb3713f8-d739-4629-8db4-13dd450d5dcc/metadata/00000-c212beca-80a9-4e74-bcfb-ee48c042aaec.metadata.json');
INSERT INTO "icemelt_versions" VALUES('e2b9ec6f-840b-4c41-b04c-5c4b00573ed3',1,14,1795868877556,NULL,'CREATE','[]','writer','c2f37b37-c32e-47d1-b661-7a23eb1a1190','e9b969d1-b25a-4eec-b567-a42ca2a16d18',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-e2b9ec6f-840b-4c41-b04c-5c4b00573ed3/metadata/00000-a4168fa3-1036-440d-93c0-71301e2d8582.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('511209ec-a082-41b9-943c-e6fd7acdd4d4','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
COMMIT;
