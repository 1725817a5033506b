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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-c4060fd8-c9f6-4d04-9b26-b354dea4aa4d/metadata/00002-848a3af2-55b0-457a-9285-e46a88c34ab5.metadata.json','{lake}/warehouse/events-c4060fd8-c9f6-4d04-9b26-b354dea4aa4d/metadata/00001-7fca66e2-5453-4663-a812-5aba9a3b697f.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-6d058e9f-a7b7-4786-ab88-0b8e4b381a9a/metadata/00000-9594ff6b-f7ff-419a-bfc2-a4edb8bd79d9.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-c2e7093f-6016-46e8-8c5c-520add1aaa6f/metadata/00000-6f570def-a92d-4a1d-a43e-c78ce93703a8.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-65a20269-5dc4-4d03-9e0e-dee44c9cc906/metadata/00000-e4e164b9-da0b-4c08-a196-86c29fbbab84.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('85ad15a3-11c3-45ef-bbb5-190a21b6d734','65a20269-5dc4-4d03-9e0e-dee44c9cc906','first','writer',1795845063468,1795845063468,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('9ec8a336-853a-4363-a6e6-762a7d587fdb','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
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
INSERT INTO "icemelt_dependencies" VALUES('105dfc05-216c-4711-9d19-880f82df874e',0,'BY_ID','6d058e9f-a7b7-4786-ab88-0b8e4b381a9a',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('c2e7093f-6016-46e8-8c5c-520add1aaa6f',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('add2f45d-9899-4f62-83e5-2e539ef911b9',0,'BY_ID','6d058e9f-a7b7-4786-ab88-0b8e4b381a9a',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('105dfc05-216c-4711-9d19-880f82df874e',0,'6d058e9f-a7b7-4786-ab88-0b8e4b381a9a','table','1@7',0,8,1795845063217);
INSERT INTO "icemelt_frontiers" VALUES('add2f45d-9899-4f62-83e5-2e539ef911b9',0,'6d058e9f-a7b7-4786-ab88-0b8e4b381a9a','table','1@10',0,11,1795845063382);
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
INSERT INTO "icemelt_lake" VALUES(1,'b4c2d046-cf7b-4fc8-aed6-f9d53e6643fb','icemelt','{lake}/warehouse',14,1795845063457,0);
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
INSERT INTO "icemelt_migrations" VALUES('0011');
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
INSERT INTO "icemelt_objects" VALUES('7a7e8866-4bee-4856-ad9a-84a4eacd44bb','database',NULL,'main','main','',NULL,1795845027022,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('ae74fa5b-1ac6-4180-a1fb-0283e1ffeefb','schema','7a7e8866-4bee-4856-ad9a-84a4eacd44bb','public','public','',NULL,1795845027022,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('c4060fd8-c9f6-4d04-9b26-b354dea4aa4d','table','ae74fa5b-1ac6-4180-a1fb-0283e1ffeefb','events','events','writer','with a history',1795845049197,NULL,NULL,NULL,NULL,NULL,'main.public','events','21b9c292-0ff0-4fb5-b296-5fbcf51ff3d5','{lake}/warehouse/events-c4060fd8-c9f6-4d04-9b26-b354dea4aa4d/metadata/00002-848a3af2-55b0-457a-9285-e46a88c34ab5.metadata.json',3,7985111497307406478);
INSERT INTO "icemelt_objects" VALUES('9ca00ecb-5d03-4468-8e3f-3b3d7e7b996a','schema','7a7e8866-4bee-4856-ad9a-84a4eacd44bb','other','other','writer',NULL,1795845062423,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('6d058e9f-a7b7-4786-ab88-0b8e4b381a9a','table','9ca00ecb-5d03-4468-8e3f-3b3d7e7b996a','empty','empty','writer',NULL,1795845063143,NULL,NULL,NULL,NULL,NULL,'main.other','empty','2a8288ef-2f31-406f-aab1-a231da3d5ac8','{lake}/warehouse/empty-6d058e9f-a7b7-4786-ab88-0b8e4b381a9a/metadata/00000-9594ff6b-f7ff-419a-bfc2-a4edb8bd79d9.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('105dfc05-216c-4711-9d19-880f82df874e','stream','9ca00ecb-5d03-4468-8e3f-3b3d7e7b996a','watched','watched','writer',NULL,1795845063217,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('c2e7093f-6016-46e8-8c5c-520add1aaa6f','view','9ca00ecb-5d03-4468-8e3f-3b3d7e7b996a','shown','shown','writer',NULL,1795845063352,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-c2e7093f-6016-46e8-8c5c-520add1aaa6f/metadata/00000-6f570def-a92d-4a1d-a43e-c78ce93703a8.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('9ec8a336-853a-4363-a6e6-762a7d587fdb','file format','9ca00ecb-5d03-4468-8e3f-3b3d7e7b996a','semicolons','semicolons','writer',NULL,1795845063368,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('add2f45d-9899-4f62-83e5-2e539ef911b9','stream','9ca00ecb-5d03-4468-8e3f-3b3d7e7b996a','rows','rows','writer',NULL,1795845063382,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('65a20269-5dc4-4d03-9e0e-dee44c9cc906','table','9ca00ecb-5d03-4468-8e3f-3b3d7e7b996a','kept','kept','writer',NULL,1795845063413,NULL,NULL,NULL,NULL,NULL,'main.other','kept','3a466d3a-2174-4014-babd-b5184cf8e15b','{lake}/warehouse/kept-65a20269-5dc4-4d03-9e0e-dee44c9cc906/metadata/00000-e4e164b9-da0b-4c08-a196-86c29fbbab84.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('b62e034a-57ba-4809-96a5-b49eb0088154','table','9ca00ecb-5d03-4468-8e3f-3b3d7e7b996a','gone','gone','writer',NULL,1795845063444,1795845063457,'9e2caa8a-90b7-4b90-b239-cd6021045b0c',NULL,NULL,NULL,'main.other','gone','112476ad-e774-4593-969d-d12a99257f52','{lake}/warehouse/gone-b62e034a-57ba-4809-96a5-b49eb0088154/metadata/00000-02ac91f1-65bf-4e31-84ef-343c448ecc72.metadata.json',1,NULL);
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
INSERT INTO "icemelt_sequences" VALUES('c4060fd8-c9f6-4d04-9b26-b354dea4aa4d',2,1,1795845058201);
INSERT INTO "icemelt_sequences" VALUES('c4060fd8-c9f6-4d04-9b26-b354dea4aa4d',3,2,1795845062414);
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
INSERT INTO "icemelt_statements" VALUES('904120fa-f1f7-460a-bf74-aa09d46a65f5','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','af1e2a96-42d5-4f45-988d-f63822f7733e','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795845048557,1795845049197,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('b7ea0613-b4b8-4f1d-b757-556c0ecbff01','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','c79a0c6e-fc17-4792-b815-bfdc5006dcc8','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795845049255,1795845058200,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('12f7629c-7252-48e7-9f96-248ccf5b98fd','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','c684b1f6-54f7-4a73-9076-189ecb597fff','writer','DELETE FROM events WHERE id = 1','DELETE',1795845058209,1795845062413,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('c34ce388-f4ea-406b-99b3-e7fea21ec32c','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','f8b27bea-580e-4d77-b5a0-e48e4cab499b','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795845062419,1795845062423,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('71614401-9dc6-4bcf-8066-e991b24ecfac','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','2f67f7ff-96a8-4340-a1da-c88eabfe4ef1','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795845062428,1795845063141,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('1ce329cc-cc40-44c0-aba0-d295571310c5','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','9f6f1641-473d-4aa7-8324-86abe572e562','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795845063152,1795845063182,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('8e6756ab-2402-434e-bd56-3b85ba93e473','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','8460071a-0ac4-4c1b-bbc4-35de9a688b9f','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795845063188,1795845063204,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('85ce1810-8ebf-4d7d-adee-31cd6372bd0f','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','c4372154-7ec0-402b-a82a-e1bfdb4305a1','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795845063208,1795845063216,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('1dc6d631-49b4-403b-8025-3e26cfed043f','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','754b542e-d9ea-4371-920e-8b231f42691f','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795845063227,1795845063353,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('6c67916d-81e2-4813-95ec-58545e47ad85','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','8f03ce68-389f-4883-9b02-262000a291bd','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795845063361,1795845063367,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('a0a682ee-f529-486b-b428-3e675d8f9275','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','848848b4-6071-49c3-88ec-8b242c2ebc59','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795845063373,1795845063381,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('fc4730d7-485c-4ef1-a5e0-c76200d3e03f','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','530d75ee-59fa-48fb-b6e7-24f20bde2608','writer','CREATE TABLE kept (id INT)','CREATE',1795845063387,1795845063411,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('573c9898-bdef-425e-a1b8-6d442b4a16c1','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','201ab4af-bae6-4064-937d-771f86fb7c84','writer','CREATE TABLE gone (id INT)','CREATE',1795845063423,1795845063444,'succeeded',13,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('ec4c043f-a975-4995-935c-d518ed791759','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','415ac73e-21f8-4cb2-b396-b2c1fb8e68ad','writer','DROP TABLE gone','DROP',1795845063451,1795845063456,'succeeded',14,1,0,NULL,NULL,NULL);
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
INSERT INTO "icemelt_streams" VALUES('105dfc05-216c-4711-9d19-880f82df874e','table','6d058e9f-a7b7-4786-ab88-0b8e4b381a9a','DEFAULT',0,'SNOWFLAKE',0);
INSERT INTO "icemelt_streams" VALUES('add2f45d-9899-4f62-83e5-2e539ef911b9','table','6d058e9f-a7b7-4786-ab88-0b8e4b381a9a','DEFAULT',0,'SINGDATA',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('c4060fd8-c9f6-4d04-9b26-b354dea4aa4d',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('6d058e9f-a7b7-4786-ab88-0b8e4b381a9a',5,6);
INSERT INTO "icemelt_tracking" VALUES('6d058e9f-a7b7-4786-ab88-0b8e4b381a9a',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('65a20269-5dc4-4d03-9e0e-dee44c9cc906',12,NULL);
INSERT INTO "icemelt_tracking" VALUES('b62e034a-57ba-4809-96a5-b49eb0088154',13,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('af1e2a96-42d5-4f45-988d-f63822f7733e','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',1,1795845049197);
INSERT INTO "icemelt_transactions" VALUES('c79a0c6e-fc17-4792-b815-bfdc5006dcc8','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',2,1795845058201);
INSERT INTO "icemelt_transactions" VALUES('c684b1f6-54f7-4a73-9076-189ecb597fff','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',3,1795845062414);
INSERT INTO "icemelt_transactions" VALUES('f8b27bea-580e-4d77-b5a0-e48e4cab499b','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',4,1795845062423);
INSERT INTO "icemelt_transactions" VALUES('2f67f7ff-96a8-4340-a1da-c88eabfe4ef1','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',5,1795845063143);
INSERT INTO "icemelt_transactions" VALUES('9f6f1641-473d-4aa7-8324-86abe572e562','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',6,1795845063182);
INSERT INTO "icemelt_transactions" VALUES('8460071a-0ac4-4c1b-bbc4-35de9a688b9f','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',7,1795845063206);
INSERT INTO "icemelt_transactions" VALUES('c4372154-7ec0-402b-a82a-e1bfdb4305a1','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',8,1795845063217);
INSERT INTO "icemelt_transactions" VALUES('754b542e-d9ea-4371-920e-8b231f42691f','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',9,1795845063352);
INSERT INTO "icemelt_transactions" VALUES('8f03ce68-389f-4883-9b02-262000a291bd','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',10,1795845063368);
INSERT INTO "icemelt_transactions" VALUES('848848b4-6071-49c3-88ec-8b242c2ebc59','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',11,1795845063382);
INSERT INTO "icemelt_transactions" VALUES('530d75ee-59fa-48fb-b6e7-24f20bde2608','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',12,1795845063413);
INSERT INTO "icemelt_transactions" VALUES('201ab4af-bae6-4064-937d-771f86fb7c84','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',13,1795845063444);
INSERT INTO "icemelt_transactions" VALUES('415ac73e-21f8-4cb2-b396-b2c1fb8e68ad','f9c9c9ef-8690-4c6d-be75-e05aaeb4d0ba','writer',14,1795845063457);
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
INSERT INTO "icemelt_versions" VALUES('c4060fd8-c9f6-4d04-9b26-b354dea4aa4d',1,1,1795845049197,NULL,'CREATE','[]','writer','904120fa-f1f7-460a-bf74-aa09d46a65f5','af1e2a96-42d5-4f45-988d-f63822f7733e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-c4060fd8-c9f6-4d04-9b26-b354dea4aa4d/metadata/00000-2b63e3ff-ca22-47c7-8e8d-7b617633dc8f.metadata.json');
INSERT INTO "icemelt_versions" VALUES('c4060fd8-c9f6-4d04-9b26-b354dea4aa4d',2,2,1795845058201,852815546684335318,'INSERT','[[852815546684335318, 1, "append", 0, 2]]','writer','b7ea0613-b4b8-4f1d-b757-556c0ecbff01','c79a0c6e-fc17-4792-b815-bfdc5006dcc8',0,2,640,2,0,0,'{lake}/warehouse/events-c4060fd8-c9f6-4d04-9b26-b354dea4aa4d/metadata/00001-7fca66e2-5453-4663-a812-5aba9a3b697f.metadata.json');
INSERT INTO "icemelt_versions" VALUES('c4060fd8-c9f6-4d04-9b26-b354dea4aa4d',3,3,1795845062414,7985111497307406478,'DELETE','[[7985111497307406478, 2, "delete", 2, 0]]','writer','12f7629c-7252-48e7-9f96-248ccf5b98fd','c684b1f6-54f7-4a73-9076-189ecb597fff',0,1,682,0,0,1,'{lake}/warehouse/events-c4060fd8-c9f6-4d04-9b26-b354dea4aa4d/metadata/00002-848a3af2-55b0-457a-9285-e46a88c34ab5.metadata.json');
INSERT INTO "icemelt_versions" VALUES('6d058e9f-a7b7-4786-ab88-0b8e4b381a9a',1,5,1795845063143,NULL,'CREATE','[]','writer','71614401-9dc6-4bcf-8066-e991b24ecfac','2f67f7ff-96a8-4340-a1da-c88eabfe4ef1',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-6d058e9f-a7b7-4786-ab88-0b8e4b381a9a/metadata/00000-9594ff6b-f7ff-419a-bfc2-a4edb8bd79d9.metadata.json');
INSERT INTO "icemelt_versions" VALUES('65a20269-5dc4-4d03-9e0e-dee44c9cc906',1,12,1795845063413,NULL,'CREATE','[]','writer','fc4730d7-485c-4ef1-a5e0-c76200d3e03f','530d75ee-59fa-48fb-b6e7-24f20bde2608',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-65a20269-5dc4-4d03-9e0e-dee44c9cc906/metadata/00000-e4e164b9-da0b-4c08-a196-86c29fbbab84.metadata.json');
INSERT INTO "icemelt_versions" VALUES('b62e034a-57ba-4809-96a5-b49eb0088154',1,13,1795845063444,NULL,'CREATE','[]','writer','573c9898-bdef-425e-a1b8-6d442b4a16c1','201ab4af-bae6-4064-937d-771f86fb7c84',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-b62e034a-57ba-4809-96a5-b49eb0088154/metadata/00000-02ac91f1-65bf-4e31-84ef-343c448ecc72.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('c2e7093f-6016-46e8-8c5c-520add1aaa6f','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
COMMIT;
