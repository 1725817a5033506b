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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-23ccab74-7adb-4d13-9a8c-a8e9620b82ae/metadata/00002-a3b7bc9e-72b3-41a0-acc8-ad23e0d98a03.metadata.json','{lake}/warehouse/events-23ccab74-7adb-4d13-9a8c-a8e9620b82ae/metadata/00001-bcafea84-4b14-4d2e-978f-6081b829dec0.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-6574036d-5ab4-4911-9c5d-dd08169dffea/metadata/00000-a6a42771-85b7-4bb7-9b14-356f80a09066.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-411251ca-1dee-4164-9b78-7f05f27c0fa8/metadata/00000-ac2be78d-a4f2-479d-9b74-1084b9b08d20.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-2412fdfa-b2f1-48fc-8750-874e7c0d9473/metadata/00000-8efd75fc-20c2-419f-ae9b-995e445dedb0.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('a9f249ad-b63b-44fb-bdb3-3b853e754d2f','2412fdfa-b2f1-48fc-8750-874e7c0d9473','first','writer',1795872260314,1795872260314,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('d6e3207b-7721-4fd4-b70e-a63182408968','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('1963bffb-d31c-40f0-b1ca-36e523459b76','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
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
INSERT INTO "icemelt_dependencies" VALUES('25379c7e-0e57-4b4d-b040-8665b7f6f5f7',0,'BY_ID','6574036d-5ab4-4911-9c5d-dd08169dffea',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('411251ca-1dee-4164-9b78-7f05f27c0fa8',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('2a3a1605-291e-4810-9d14-0021f84798b0',0,'BY_ID','6574036d-5ab4-4911-9c5d-dd08169dffea',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('25379c7e-0e57-4b4d-b040-8665b7f6f5f7',0,'6574036d-5ab4-4911-9c5d-dd08169dffea','table','1@7',0,8,1795872260101);
INSERT INTO "icemelt_frontiers" VALUES('2a3a1605-291e-4810-9d14-0021f84798b0',0,'6574036d-5ab4-4911-9c5d-dd08169dffea','table','1@11',0,12,1795872260237);
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
INSERT INTO "icemelt_lake" VALUES(1,'2689343d-e9e7-4a88-a6f8-deaeca89b038','icemelt','{lake}/warehouse',15,1795872260301,0);
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
INSERT INTO "icemelt_objects" VALUES('6d48cf5c-5778-429e-899a-142c06ce5541','database',NULL,'main','main','',NULL,1795872241416,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('d46f9b62-f064-4297-bbc2-8c22e6a6fc14','schema','6d48cf5c-5778-429e-899a-142c06ce5541','public','public','',NULL,1795872241416,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('23ccab74-7adb-4d13-9a8c-a8e9620b82ae','table','d46f9b62-f064-4297-bbc2-8c22e6a6fc14','events','events','writer','with a history',1795872252756,NULL,NULL,NULL,NULL,NULL,'main.public','events','b3fd7587-c8e2-45cc-a1da-02edcb721733','{lake}/warehouse/events-23ccab74-7adb-4d13-9a8c-a8e9620b82ae/metadata/00002-a3b7bc9e-72b3-41a0-acc8-ad23e0d98a03.metadata.json',3,4712741729086328164);
INSERT INTO "icemelt_objects" VALUES('bc3edbcc-acc6-4aca-99f3-38673f0109d6','schema','6d48cf5c-5778-429e-899a-142c06ce5541','other','other','writer',NULL,1795872259728,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('6574036d-5ab4-4911-9c5d-dd08169dffea','table','bc3edbcc-acc6-4aca-99f3-38673f0109d6','empty','empty','writer',NULL,1795872260032,NULL,NULL,NULL,NULL,NULL,'main.other','empty','cc347d08-59ca-4df2-be09-785a561a0f97','{lake}/warehouse/empty-6574036d-5ab4-4911-9c5d-dd08169dffea/metadata/00000-a6a42771-85b7-4bb7-9b14-356f80a09066.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('25379c7e-0e57-4b4d-b040-8665b7f6f5f7','stream','bc3edbcc-acc6-4aca-99f3-38673f0109d6','watched','watched','writer',NULL,1795872260101,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('411251ca-1dee-4164-9b78-7f05f27c0fa8','view','bc3edbcc-acc6-4aca-99f3-38673f0109d6','shown','shown','writer',NULL,1795872260192,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-411251ca-1dee-4164-9b78-7f05f27c0fa8/metadata/00000-ac2be78d-a4f2-479d-9b74-1084b9b08d20.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('d6e3207b-7721-4fd4-b70e-a63182408968','file format','bc3edbcc-acc6-4aca-99f3-38673f0109d6','semicolons','semicolons','writer',NULL,1795872260209,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('1963bffb-d31c-40f0-b1ca-36e523459b76','stage','bc3edbcc-acc6-4aca-99f3-38673f0109d6','landing','landing','writer','where files arrive',1795872260224,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('2a3a1605-291e-4810-9d14-0021f84798b0','stream','bc3edbcc-acc6-4aca-99f3-38673f0109d6','rows','rows','writer',NULL,1795872260237,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('2412fdfa-b2f1-48fc-8750-874e7c0d9473','table','bc3edbcc-acc6-4aca-99f3-38673f0109d6','kept','kept','writer',NULL,1795872260259,NULL,NULL,NULL,NULL,NULL,'main.other','kept','eb29c375-73ef-4425-b791-f107e71e3a71','{lake}/warehouse/kept-2412fdfa-b2f1-48fc-8750-874e7c0d9473/metadata/00000-8efd75fc-20c2-419f-ae9b-995e445dedb0.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('89f6cf11-4b04-48fa-9d03-c797ac9dbcfe','table','bc3edbcc-acc6-4aca-99f3-38673f0109d6','gone','gone','writer',NULL,1795872260285,1795872260301,'287484f3-3923-4134-8493-47a7b7d251a0',NULL,NULL,NULL,'main.other','gone','0c1156f8-9950-436a-aa52-911d62cbdfed','{lake}/warehouse/gone-89f6cf11-4b04-48fa-9d03-c797ac9dbcfe/metadata/00000-9e516415-73f2-4e40-b3f4-dc8901cf40bb.metadata.json',1,NULL);
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
INSERT INTO "icemelt_sequences" VALUES('23ccab74-7adb-4d13-9a8c-a8e9620b82ae',2,1,1795872257429);
INSERT INTO "icemelt_sequences" VALUES('23ccab74-7adb-4d13-9a8c-a8e9620b82ae',3,2,1795872259716);
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
INSERT INTO "icemelt_statements" VALUES('f95f73a3-fc3e-40b6-9925-5ed617b17798','d902c7fb-7fb8-4d83-865e-d23197a538af','d9ca37c1-fe34-4bae-ad84-a4cff652d529','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795872252363,1795872252754,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('c37cc4fb-ef42-4d78-956c-192ead70aea0','d902c7fb-7fb8-4d83-865e-d23197a538af','8000bcbd-705d-4021-8dc0-651cbcda62dd','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795872252790,1795872257428,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('2e1ba6de-3485-416b-bda5-dab70620d6cf','d902c7fb-7fb8-4d83-865e-d23197a538af','671dd953-6a3b-49a0-81b2-f86f59bb7205','writer','DELETE FROM events WHERE id = 1','DELETE',1795872257438,1795872259714,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('1d468669-613a-4565-bf7f-549572acee92','d902c7fb-7fb8-4d83-865e-d23197a538af','5dba6cff-382c-43a6-972e-ba6634b8f143','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795872259721,1795872259727,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('d37b270c-20ab-4c87-b8b9-488cdb9309a8','d902c7fb-7fb8-4d83-865e-d23197a538af','57287940-87b0-4168-9fce-f1f8906528c0','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795872259734,1795872260032,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('824b142e-e15f-435c-8f78-32701a5488fb','d902c7fb-7fb8-4d83-865e-d23197a538af','635ee3ab-acd1-4813-a733-946bddafa927','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795872260040,1795872260066,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('f42063c4-fa65-4081-acbb-17a90ea9d428','d902c7fb-7fb8-4d83-865e-d23197a538af','9aa9863e-39d0-456b-a6cb-b30192f5899d','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795872260072,1795872260084,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('bfae6588-a9be-4772-950e-72c6731282e0','d902c7fb-7fb8-4d83-865e-d23197a538af','b40238a5-fca0-46c9-b094-d0cb088a67f0','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795872260089,1795872260098,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('e8d5cae8-d725-4e66-a3d7-c05b9e1977cd','d902c7fb-7fb8-4d83-865e-d23197a538af','3e547658-7b7e-43ef-84ed-bf8b011648cd','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795872260108,1795872260190,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('ab1de7c0-370c-4aa0-af16-a8e9c8351ba5','d902c7fb-7fb8-4d83-865e-d23197a538af','b1b6e7fd-1e8f-4224-958b-e29864695aaf','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795872260200,1795872260207,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('fd7bd9ee-aeb0-4588-a87f-f8b796c45d09','d902c7fb-7fb8-4d83-865e-d23197a538af','e7282729-7580-4d4e-b858-1fba6766b781','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795872260213,1795872260222,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('cec47f81-1354-4797-92d1-8d6fa8173e10','d902c7fb-7fb8-4d83-865e-d23197a538af','f243151f-a34e-4c1b-b692-d61ef00c27c7','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795872260227,1795872260236,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('2628b584-c4c0-4184-8793-3df5f682a374','d902c7fb-7fb8-4d83-865e-d23197a538af','c0da8dc1-008e-4e27-86d6-8bf456113821','writer','CREATE TABLE kept (id INT)','CREATE',1795872260241,1795872260258,'succeeded',13,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('749ebe92-bef6-42f5-aa3b-1faf6905225e','d902c7fb-7fb8-4d83-865e-d23197a538af','ae6f836c-9d89-48f6-9777-57fe2f1f71c0','writer','CREATE TABLE gone (id INT)','CREATE',1795872260267,1795872260283,'succeeded',14,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('0f0cffc9-eaea-495e-8a56-eec7e74e628f','d902c7fb-7fb8-4d83-865e-d23197a538af','486fb47e-baa7-4a33-b28d-19b170889523','writer','DROP TABLE gone','DROP',1795872260294,1795872260300,'succeeded',15,1,0,NULL,NULL,NULL);
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
INSERT INTO "icemelt_streams" VALUES('25379c7e-0e57-4b4d-b040-8665b7f6f5f7','table','6574036d-5ab4-4911-9c5d-dd08169dffea','DEFAULT',0,'SNOWFLAKE',0);
INSERT INTO "icemelt_streams" VALUES('2a3a1605-291e-4810-9d14-0021f84798b0','table','6574036d-5ab4-4911-9c5d-dd08169dffea','DEFAULT',0,'SINGDATA',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('23ccab74-7adb-4d13-9a8c-a8e9620b82ae',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('6574036d-5ab4-4911-9c5d-dd08169dffea',5,6);
INSERT INTO "icemelt_tracking" VALUES('6574036d-5ab4-4911-9c5d-dd08169dffea',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('2412fdfa-b2f1-48fc-8750-874e7c0d9473',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('89f6cf11-4b04-48fa-9d03-c797ac9dbcfe',14,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('d9ca37c1-fe34-4bae-ad84-a4cff652d529','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',1,1795872252756);
INSERT INTO "icemelt_transactions" VALUES('8000bcbd-705d-4021-8dc0-651cbcda62dd','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',2,1795872257429);
INSERT INTO "icemelt_transactions" VALUES('671dd953-6a3b-49a0-81b2-f86f59bb7205','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',3,1795872259716);
INSERT INTO "icemelt_transactions" VALUES('5dba6cff-382c-43a6-972e-ba6634b8f143','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',4,1795872259728);
INSERT INTO "icemelt_transactions" VALUES('57287940-87b0-4168-9fce-f1f8906528c0','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',5,1795872260032);
INSERT INTO "icemelt_transactions" VALUES('635ee3ab-acd1-4813-a733-946bddafa927','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',6,1795872260067);
INSERT INTO "icemelt_transactions" VALUES('9aa9863e-39d0-456b-a6cb-b30192f5899d','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',7,1795872260086);
INSERT INTO "icemelt_transactions" VALUES('b40238a5-fca0-46c9-b094-d0cb088a67f0','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',8,1795872260101);
INSERT INTO "icemelt_transactions" VALUES('3e547658-7b7e-43ef-84ed-bf8b011648cd','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',9,1795872260192);
INSERT INTO "icemelt_transactions" VALUES('b1b6e7fd-1e8f-4224-958b-e29864695aaf','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',10,1795872260209);
INSERT INTO "icemelt_transactions" VALUES('e7282729-7580-4d4e-b858-1fba6766b781','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',11,1795872260224);
INSERT INTO "icemelt_transactions" VALUES('f243151f-a34e-4c1b-b692-d61ef00c27c7','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',12,1795872260237);
INSERT INTO "icemelt_transactions" VALUES('c0da8dc1-008e-4e27-86d6-8bf456113821','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',13,1795872260259);
INSERT INTO "icemelt_transactions" VALUES('ae6f836c-9d89-48f6-9777-57fe2f1f71c0','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',14,1795872260285);
INSERT INTO "icemelt_transactions" VALUES('486fb47e-baa7-4a33-b28d-19b170889523','d902c7fb-7fb8-4d83-865e-d23197a538af','writer',15,1795872260301);
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
INSERT INTO "icemelt_versions" VALUES('23ccab74-7adb-4d13-9a8c-a8e9620b82ae',1,1,1795872252756,NULL,'CREATE','[]','writer','f95f73a3-fc3e-40b6-9925-5ed617b17798','d9ca37c1-fe34-4bae-ad84-a4cff652d529',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-23ccab74-7adb-4d13-9a8c-a8e9620b82ae/metadata/00000-bf535b6e-8bfd-444e-bda8-46b1ff44a0e6.metadata.json');
INSERT INTO "icemelt_versions" VALUES('23ccab74-7adb-4d13-9a8c-a8e9620b82ae',2,2,1795872257429,444158347440556149,'INSERT','[[444158347440556149, 1, "append", 0, 2]]','writer','c37cc4fb-ef42-4d78-956c-192ead70aea0','8000bcbd-705d-4021-8dc0-651cbcda62dd',0,2,640,2,0,0,'{lake}/warehouse/events-23ccab74-7adb-4d13-9a8c-a8e9620b82ae/metadata/00001-bcafea84-4b14-4d2e-978f-6081b829dec0.metadata.json');
INSERT INTO "icemelt_versions" VALUES('23ccab74-7adb-4d13-9a8c-a8e9620b82ae',3,3,1795872259716,4712741729086328164,'DELETE','[[4712741729086328164, 2, "delete", 2, 0]]','writer','2e1ba6de-3485-416b-bda5-dab70620d6cf','671dd953-6a3b-49a0-81b2-f86f59bb7205',0,1,682,0,0,1,'{lake}/warehouse/events-23ccab74-7adb-4d13-9a8c-a8e9620b82ae/metadata/00002-a3b7bc9e-72b3-41a0-acc8-ad23e0d98a03.metadata.json');
INSERT INTO "icemelt_versions" VALUES('6574036d-5ab4-4911-9c5d-dd08169dffea',1,5,1795872260032,NULL,'CREATE','[]','writer','d37b270c-20ab-4c87-b8b9-488cdb9309a8','57287940-87b0-4168-9fce-f1f8906528c0',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-6574036d-5ab4-4911-9c5d-dd08169dffea/metadata/00000-a6a42771-85b7-4bb7-9b14-356f80a09066.metadata.json');
INSERT INTO "icemelt_versions" VALUES('2412fdfa-b2f1-48fc-8750-874e7c0d9473',1,13,1795872260259,NULL,'CREATE','[]','writer','2628b584-c4c0-4184-8793-3df5f682a374','c0da8dc1-008e-4e27-86d6-8bf456113821',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-2412fdfa-b2f1-48fc-8750-874e7c0d9473/metadata/00000-8efd75fc-20c2-419f-ae9b-995e445dedb0.metadata.json');
INSERT INTO "icemelt_versions" VALUES('89f6cf11-4b04-48fa-9d03-c797ac9dbcfe',1,14,1795872260285,NULL,'CREATE','[]','writer','749ebe92-bef6-42f5-aa3b-1faf6905225e','ae6f836c-9d89-48f6-9777-57fe2f1f71c0',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-89f6cf11-4b04-48fa-9d03-c797ac9dbcfe/metadata/00000-9e516415-73f2-4e40-b3f4-dc8901cf40bb.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('411251ca-1dee-4164-9b78-7f05f27c0fa8','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
