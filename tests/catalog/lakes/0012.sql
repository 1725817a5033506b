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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-cd33c498-2cab-4383-bf62-f9d462bef9fe/metadata/00002-d3f8a9c7-2f80-4f83-931d-ed9f7a88d23d.metadata.json','{lake}/warehouse/events-cd33c498-2cab-4383-bf62-f9d462bef9fe/metadata/00001-de931a66-3f57-4de2-8092-a5de672ff330.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-5d7e0b6c-460d-414a-9b57-e95714593218/metadata/00000-d72205a0-bcd9-4cea-84b1-e7755507cb5d.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-97b4f94a-a337-431b-8a80-dfbeec1fc784/metadata/00000-46c37ff8-7b31-49f5-84f9-06306ef83c7e.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-0966b09b-6ace-45aa-a790-0a27bd839956/metadata/00000-3fa31697-ca48-4124-ac6a-96c29b67ffae.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('19db637a-f6cb-4b07-a901-9a7cce7cc5df','0966b09b-6ace-45aa-a790-0a27bd839956','first','writer',1795868559690,1795868559690,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('3192e010-fb05-4ce4-8d9d-7656e88cb354','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
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
INSERT INTO "icemelt_dependencies" VALUES('7ef08567-88e7-4952-a8b9-d66ef3ab52f0',0,'BY_ID','5d7e0b6c-460d-414a-9b57-e95714593218',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('97b4f94a-a337-431b-8a80-dfbeec1fc784',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('81a4deb6-635c-4432-b1f9-0375beb63679',0,'BY_ID','5d7e0b6c-460d-414a-9b57-e95714593218',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('7ef08567-88e7-4952-a8b9-d66ef3ab52f0',0,'5d7e0b6c-460d-414a-9b57-e95714593218','table','1@7',0,8,1795868559041);
INSERT INTO "icemelt_frontiers" VALUES('81a4deb6-635c-4432-b1f9-0375beb63679',0,'5d7e0b6c-460d-414a-9b57-e95714593218','table','1@10',0,11,1795868559490);
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
INSERT INTO "icemelt_lake" VALUES(1,'5f94fb96-f05e-4083-911f-9bb66709d892','icemelt','{lake}/warehouse',14,1795868559660,0);
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
INSERT INTO "icemelt_objects" VALUES('02df370b-72c8-47b6-90b5-c0e335d29da6','database',NULL,'main','main','',NULL,1795868529351,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('4eca09ea-60d8-4255-a1dd-8bd014495739','schema','02df370b-72c8-47b6-90b5-c0e335d29da6','public','public','',NULL,1795868529351,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('cd33c498-2cab-4383-bf62-f9d462bef9fe','table','4eca09ea-60d8-4255-a1dd-8bd014495739','events','events','writer','with a history',1795868540657,NULL,NULL,NULL,NULL,NULL,'main.public','events','ffb2812c-472e-447e-b19c-a8341262f7d9','{lake}/warehouse/events-cd33c498-2cab-4383-bf62-f9d462bef9fe/metadata/00002-d3f8a9c7-2f80-4f83-931d-ed9f7a88d23d.metadata.json',3,6571122362505465867);
INSERT INTO "icemelt_objects" VALUES('1dbcc426-860e-45da-a3cb-17154efd58a2','schema','02df370b-72c8-47b6-90b5-c0e335d29da6','other','other','writer',NULL,1795868557445,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('5d7e0b6c-460d-414a-9b57-e95714593218','table','1dbcc426-860e-45da-a3cb-17154efd58a2','empty','empty','writer',NULL,1795868558775,NULL,NULL,NULL,NULL,NULL,'main.other','empty','62e6659f-8f72-4353-aa1a-9284e15d4397','{lake}/warehouse/empty-5d7e0b6c-460d-414a-9b57-e95714593218/metadata/00000-d72205a0-bcd9-4cea-84b1-e7755507cb5d.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('7ef08567-88e7-4952-a8b9-d66ef3ab52f0','stream','1dbcc426-860e-45da-a3cb-17154efd58a2','watched','watched','writer',NULL,1795868559041,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('97b4f94a-a337-431b-8a80-dfbeec1fc784','view','1dbcc426-860e-45da-a3cb-17154efd58a2','shown','shown','writer',NULL,1795868559373,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-97b4f94a-a337-431b-8a80-dfbeec1fc784/metadata/00000-46c37ff8-7b31-49f5-84f9-06306ef83c7e.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('3192e010-fb05-4ce4-8d9d-7656e88cb354','file format','1dbcc426-860e-45da-a3cb-17154efd58a2','semicolons','semicolons','writer',NULL,1795868559473,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('81a4deb6-635c-4432-b1f9-0375beb63679','stream','1dbcc426-860e-45da-a3cb-17154efd58a2','rows','rows','writer',NULL,1795868559490,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('0966b09b-6ace-45aa-a790-0a27bd839956','table','1dbcc426-860e-45da-a3cb-17154efd58a2','kept','kept','writer',NULL,1795868559527,NULL,NULL,NULL,NULL,NULL,'main.other','kept','2bf39e61-065e-4cb5-8c01-6a2ac6fe2a77','{lake}/warehouse/kept-0966b09b-6ace-45aa-a790-0a27bd839956/metadata/00000-3fa31697-ca48-4124-ac6a-96c29b67ffae.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('a3b45596-5f4b-4db4-a76d-ba742a1cbf3d','table','1dbcc426-860e-45da-a3cb-17154efd58a2','gone','gone','writer',NULL,1795868559621,1795868559660,'9ec19e2c-e8e9-4874-a003-2286884c1cc5',NULL,NULL,NULL,'main.other','gone','ea6b205f-efeb-41ad-bd70-0e81ed544936','{lake}/warehouse/gone-a3b45596-5f4b-4db4-a76d-ba742a1cbf3d/metadata/00000-232efa7d-16a1-4d87-bdce-b66d0f1b044e.metadata.json',1,NULL);
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
INSERT INTO "icemelt_sequences" VALUES('cd33c498-2cab-4383-bf62-f9d462bef9fe',2,1,1795868549815);
INSERT INTO "icemelt_sequences" VALUES('cd33c498-2cab-4383-bf62-f9d462bef9fe',3,2,1795868557375);
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
INSERT INTO "icemelt_statements" VALUES('cafc4ba2-7939-4126-ae25-1f24042dd938','6a2075f3-04f0-4fca-8e65-43e763cf4728','2ee914ca-eb84-456b-9c71-4c1804961344','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795868540129,1795868540657,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('b0afad45-ee4c-4d9c-bade-6a22d22d617a','6a2075f3-04f0-4fca-8e65-43e763cf4728','830f19f3-ac26-4fc7-b861-fe950e86227a','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795868540696,1795868549815,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('f35da918-149d-49a0-a3fd-88bfe6f717db','6a2075f3-04f0-4fca-8e65-43e763cf4728','fe3779f2-715d-4a46-88a7-0ba0c27e94dd','writer','DELETE FROM events WHERE id = 1','DELETE',1795868549826,1795868557372,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('6e54401a-177a-4df5-b7e3-c77290a794a1','6a2075f3-04f0-4fca-8e65-43e763cf4728','4f5a3ddd-7489-4f22-85b8-7bcbc6a3b014','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795868557422,1795868557445,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('74f564b9-f304-4891-8c31-cfd0cd83c222','6a2075f3-04f0-4fca-8e65-43e763cf4728','43ba457a-eb48-4fb6-b3e7-01889ad34a55','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795868557473,1795868558773,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('1861129b-16a0-4c57-9851-9e3d9add791d','6a2075f3-04f0-4fca-8e65-43e763cf4728','ae98775a-9e22-484a-a463-be79c5753d19','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795868558836,1795868559009,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('2ffd47de-fc00-49d1-9de6-1b5ddd240054','6a2075f3-04f0-4fca-8e65-43e763cf4728','8ef398a0-fa6c-47f2-881c-50c386438805','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795868559013,1795868559025,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('3c978ee3-9dbc-496c-ae54-b8650f55430b','6a2075f3-04f0-4fca-8e65-43e763cf4728','7a1f7591-9b66-4111-bb2a-6cd700420931','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795868559032,1795868559041,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('925677ec-1594-43a9-a7f0-cfccf08f4d69','6a2075f3-04f0-4fca-8e65-43e763cf4728','e38573a6-40f1-4505-93c9-97e94084b6d0','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795868559066,1795868559372,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('ac7a30f7-99f1-43e5-b38c-62b91514902c','6a2075f3-04f0-4fca-8e65-43e763cf4728','71dd4e0f-5104-4089-af96-4f158058c347','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795868559386,1795868559467,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('07e25386-4d7a-414b-bb97-6e14b5db35e0','6a2075f3-04f0-4fca-8e65-43e763cf4728','feb7a372-a619-4aea-95d3-60332240035b','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795868559480,1795868559490,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('34d697b5-e643-4602-aca5-c691b8eb09cb','6a2075f3-04f0-4fca-8e65-43e763cf4728','c33bc555-0f64-4f2d-befd-7d2dd5409b83','writer','CREATE TABLE kept (id INT)','CREATE',1795868559496,1795868559525,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('67ced877-75ff-43a4-9083-6d0d9e6e858a','6a2075f3-04f0-4fca-8e65-43e763cf4728','d82a3d29-0c48-457c-bbcf-f36c7143cf54','writer','CREATE TABLE gone (id INT)','CREATE',1795868559550,1795868559621,'succeeded',13,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('deb05648-d4fd-49ed-a575-ac1d697724a4','6a2075f3-04f0-4fca-8e65-43e763cf4728','931fa17e-feb6-4e7e-b33a-38bb518ff8da','writer','DROP TABLE gone','DROP',1795868559642,1795868559658,'succeeded',14,1,0,NULL,NULL,NULL);
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
INSERT INTO "icemelt_streams" VALUES('7ef08567-88e7-4952-a8b9-d66ef3ab52f0','table','5d7e0b6c-460d-414a-9b57-e95714593218','DEFAULT',0,'SNOWFLAKE',0);
INSERT INTO "icemelt_streams" VALUES('81a4deb6-635c-4432-b1f9-0375beb63679','table','5d7e0b6c-460d-414a-9b57-e95714593218','DEFAULT',0,'SINGDATA',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('cd33c498-2cab-4383-bf62-f9d462bef9fe',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('5d7e0b6c-460d-414a-9b57-e95714593218',5,6);
INSERT INTO "icemelt_tracking" VALUES('5d7e0b6c-460d-414a-9b57-e95714593218',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('0966b09b-6ace-45aa-a790-0a27bd839956',12,NULL);
INSERT INTO "icemelt_tracking" VALUES('a3b45596-5f4b-4db4-a76d-ba742a1cbf3d',13,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('2ee914ca-eb84-456b-9c71-4c1804961344','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',1,1795868540657);
INSERT INTO "icemelt_transactions" VALUES('830f19f3-ac26-4fc7-b861-fe950e86227a','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',2,1795868549815);
INSERT INTO "icemelt_transactions" VALUES('fe3779f2-715d-4a46-88a7-0ba0c27e94dd','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',3,1795868557375);
INSERT INTO "icemelt_transactions" VALUES('4f5a3ddd-7489-4f22-85b8-7bcbc6a3b014','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',4,1795868557445);
INSERT INTO "icemelt_transactions" VALUES('43ba457a-eb48-4fb6-b3e7-01889ad34a55','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',5,1795868558775);
INSERT INTO "icemelt_transactions" VALUES('ae98775a-9e22-484a-a463-be79c5753d19','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',6,1795868559010);
INSERT INTO "icemelt_transactions" VALUES('8ef398a0-fa6c-47f2-881c-50c386438805','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',7,1795868559026);
INSERT INTO "icemelt_transactions" VALUES('7a1f7591-9b66-4111-bb2a-6cd700420931','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',8,1795868559041);
INSERT INTO "icemelt_transactions" VALUES('e38573a6-40f1-4505-93c9-97e94084b6d0','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',9,1795868559373);
INSERT INTO "icemelt_transactions" VALUES('71dd4e0f-5104-4089-af96-4f158058c347','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',10,1795868559473);
INSERT INTO "icemelt_transactions" VALUES('feb7a372-a619-4aea-95d3-60332240035b','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',11,1795868559490);
INSERT INTO "icemelt_transactions" VALUES('c33bc555-0f64-4f2d-befd-7d2dd5409b83','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',12,1795868559527);
INSERT INTO "icemelt_transactions" VALUES('d82a3d29-0c48-457c-bbcf-f36c7143cf54','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',13,1795868559621);
INSERT INTO "icemelt_transactions" VALUES('931fa17e-feb6-4e7e-b33a-38bb518ff8da','6a2075f3-04f0-4fca-8e65-43e763cf4728','writer',14,1795868559660);
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
INSERT INTO "icemelt_versions" VALUES('cd33c498-2cab-4383-bf62-f9d462bef9fe',1,1,1795868540657,NULL,'CREATE','[]','writer','cafc4ba2-7939-4126-ae25-1f24042dd938','2ee914ca-eb84-456b-9c71-4c1804961344',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-cd33c498-2cab-4383-bf62-f9d462bef9fe/metadata/00000-240d22a3-46ce-44dc-9e64-81d0ad77649c.metadata.json');
INSERT INTO "icemelt_versions" VALUES('cd33c498-2cab-4383-bf62-f9d462bef9fe',2,2,1795868549815,5971527540526478033,'INSERT','[[5971527540526478033, 1, "append", 0, 2]]','writer','b0afad45-ee4c-4d9c-bade-6a22d22d617a','830f19f3-ac26-4fc7-b861-fe950e86227a',0,2,640,2,0,0,'{lake}/warehouse/events-cd33c498-2cab-4383-bf62-f9d462bef9fe/metadata/00001-de931a66-3f57-4de2-8092-a5de672ff330.metadata.json');
INSERT INTO "icemelt_versions" VALUES('cd33c498-2cab-4383-bf62-f9d462bef9fe',3,3,1795868557375,6571122362505465867,'DELETE','[[6571122362505465867, 2, "delete", 2, 0]]','writer','f35da918-149d-49a0-a3fd-88bfe6f717db','fe3779f2-715d-4a46-88a7-0ba0c27e94dd',0,1,682,0,0,1,'{lake}/warehouse/events-cd33c498-2cab-4383-bf62-f9d462bef9fe/metadata/00002-d3f8a9c7-2f80-4f83-931d-ed9f7a88d23d.metadata.json');
INSERT INTO "icemelt_versions" VALUES('5d7e0b6c-460d-414a-9b57-e95714593218',1,5,1795868558775,NULL,'CREATE','[]','writer','74f564b9-f304-4891-8c31-cfd0cd83c222','43ba457a-eb48-4fb6-b3e7-01889ad34a55',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-5d7e0b6c-460d-414a-9b57-e95714593218/metadata/00000-d72205a0-bcd9-4cea-84b1-e7755507cb5d.metadata.json');
INSERT INTO "icemelt_versions" VALUES('0966b09b-6ace-45aa-a790-0a27bd839956',1,12,1795868559527,NULL,'CREATE','[]','writer','34d697b5-e643-4602-aca5-c691b8eb09cb','c33bc555-0f64-4f2d-befd-7d2dd5409b83',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-0966b09b-6ace-45aa-a790-0a27bd839956/metadata/00000-3fa31697-ca48-4124-ac6a-96c29b67ffae.metadata.json');
INSERT INTO "icemelt_versions" VALUES('a3b45596-5f4b-4db4-a76d-ba742a1cbf3d',1,13,1795868559621,NULL,'CREATE','[]','writer','67ced877-75ff-43a4-9083-6d0d9e6e858a','d82a3d29-0c48-457c-bbcf-f36c7143cf54',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-a3b45596-5f4b-4db4-a76d-ba742a1cbf3d/metadata/00000-232efa7d-16a1-4d87-bdce-b66d0f1b044e.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('97b4f94a-a337-431b-8a80-dfbeec1fc784','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
