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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-62d1a08b-dc51-4cb3-a7f3-0f8e5f30b3bd/metadata/00002-85a977d2-9069-4753-83a6-bc93b74659d7.metadata.json','{lake}/warehouse/events-62d1a08b-dc51-4cb3-a7f3-0f8e5f30b3bd/metadata/00001-64781b70-c08b-42ed-af5e-19a872d1b25c.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-3aa27e0a-7ec9-4413-bc60-fe8e3c582969/metadata/00000-a15d198e-4629-475c-bd0a-b4b96cf6ecf9.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-faedd561-f810-40de-9503-a5f45c4dbd4e/metadata/00000-cce9cf1e-8718-49ac-a9e2-221158f22812.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-16027d29-7114-4351-aef7-9d307cc74557/metadata/00000-b05c7333-6757-4bc4-a64a-5e9a3f9b84ef.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','model','{lake}/warehouse/model-df83d416-94d6-485e-ac7f-2536754d7b2a/metadata/00000-4f0fd111-0acd-4a6f-8514-eac7b2d0d071.metadata.json','{lake}/warehouse/model-df83d416-94d6-485e-ac7f-2536754d7b2a/metadata/00000-9e491e43-ec73-4326-82b4-2c33cc48eb1c.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','twin','{lake}/warehouse/twin-2157960b-ce42-4e5e-b0c8-77fc4d412d8d/metadata/00000-4a00413a-6ed3-44bf-9ce2-9261230290e2.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('11f4dd88-0112-49d5-a869-96c00e42f93e','16027d29-7114-4351-aef7-9d307cc74557','first','writer',1795884246032,1795884246032,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('05d31940-aa56-4d96-becb-6f9735f488c2','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('9520c372-cedd-40ce-8f14-dc985f2d7ca9','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
INSERT INTO "icemelt_definitions" VALUES('3e495d5f-79f7-4107-b6b9-6f976d7795c2','{"statement": "COPY INTO kept FROM @landing", "table": ["main", "other", "kept"], "table_id": "16027d29-7114-4351-aef7-9d307cc74557", "stage": ["main", "other", "landing"], "stage_id": "9520c372-cedd-40ce-8f14-dc985f2d7ca9", "stage_url": null, "file_format": null, "has_format": false, "pattern": null, "timezone": "UTC", "ingests_itself": false, "is_paused": false, "load_within": null}');
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
INSERT INTO "icemelt_dependencies" VALUES('7ea4bad3-5d75-4769-addd-d397094ee58b',0,'BY_ID','3aa27e0a-7ec9-4413-bc60-fe8e3c582969',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('faedd561-f810-40de-9503-a5f45c4dbd4e',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('0592e62e-96f8-497b-9490-9837ad5d4be9',0,'BY_ID','3aa27e0a-7ec9-4413-bc60-fe8e3c582969',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('7ea4bad3-5d75-4769-addd-d397094ee58b',0,'3aa27e0a-7ec9-4413-bc60-fe8e3c582969','table','1@7',0,8,1795884245868);
INSERT INTO "icemelt_frontiers" VALUES('0592e62e-96f8-497b-9490-9837ad5d4be9',0,'3aa27e0a-7ec9-4413-bc60-fe8e3c582969','table','1@11',0,12,1795884245959);
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
INSERT INTO "icemelt_lake" VALUES(1,'fd8ab40d-9699-4dc5-b0b4-cc8f6b659343','icemelt','{lake}/warehouse',18,1795884246030,0);
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
	statement_id VARCHAR(36) NOT NULL, rows_parsed BIGINT, pipe_id VARCHAR(36), first_error TEXT, first_line BIGINT, first_column TEXT, 
	CONSTRAINT pk_icemelt_loads PRIMARY KEY (table_id, path), 
	CONSTRAINT fk_icemelt_loads_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_migrations (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT icemelt_migrations_pkc PRIMARY KEY (version_num)
);
INSERT INTO "icemelt_migrations" VALUES('0016');
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
INSERT INTO "icemelt_objects" VALUES('20b828fd-bbe6-41b9-80a5-056aa8651c20','database',NULL,'main','main','',NULL,1795884225343,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('5da0c87e-8991-4261-80b3-77459e14e0a3','schema','20b828fd-bbe6-41b9-80a5-056aa8651c20','public','public','',NULL,1795884225343,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('62d1a08b-dc51-4cb3-a7f3-0f8e5f30b3bd','table','5da0c87e-8991-4261-80b3-77459e14e0a3','events','events','writer','with a history',1795884239274,NULL,NULL,NULL,NULL,NULL,'main.public','events','2cf58dac-f380-4f8f-bd4d-6b8f7b9d0082','{lake}/warehouse/events-62d1a08b-dc51-4cb3-a7f3-0f8e5f30b3bd/metadata/00002-85a977d2-9069-4753-83a6-bc93b74659d7.metadata.json',3,5165677060199528835);
INSERT INTO "icemelt_objects" VALUES('451c76c7-8014-4fdf-b76f-de123f676b5b','schema','20b828fd-bbe6-41b9-80a5-056aa8651c20','other','other','writer',NULL,1795884245583,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('3aa27e0a-7ec9-4413-bc60-fe8e3c582969','table','451c76c7-8014-4fdf-b76f-de123f676b5b','empty','empty','writer',NULL,1795884245805,NULL,NULL,NULL,NULL,NULL,'main.other','empty','33c02f58-e4be-41fc-ae78-1f75dc494894','{lake}/warehouse/empty-3aa27e0a-7ec9-4413-bc60-fe8e3c582969/metadata/00000-a15d198e-4629-475c-bd0a-b4b96cf6ecf9.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('7ea4bad3-5d75-4769-addd-d397094ee58b','stream','451c76c7-8014-4fdf-b76f-de123f676b5b','watched','watched','writer',NULL,1795884245868,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('faedd561-f810-40de-9503-a5f45c4dbd4e','view','451c76c7-8014-4fdf-b76f-de123f676b5b','shown','shown','writer',NULL,1795884245944,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-faedd561-f810-40de-9503-a5f45c4dbd4e/metadata/00000-cce9cf1e-8718-49ac-a9e2-221158f22812.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('05d31940-aa56-4d96-becb-6f9735f488c2','file format','451c76c7-8014-4fdf-b76f-de123f676b5b','semicolons','semicolons','writer',NULL,1795884245950,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('9520c372-cedd-40ce-8f14-dc985f2d7ca9','stage','451c76c7-8014-4fdf-b76f-de123f676b5b','landing','landing','writer','where files arrive',1795884245955,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('0592e62e-96f8-497b-9490-9837ad5d4be9','stream','451c76c7-8014-4fdf-b76f-de123f676b5b','rows','rows','writer',NULL,1795884245959,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('16027d29-7114-4351-aef7-9d307cc74557','table','451c76c7-8014-4fdf-b76f-de123f676b5b','kept','kept','writer',NULL,1795884245968,NULL,NULL,NULL,NULL,NULL,'main.other','kept','65be189c-95d2-4087-938a-38a6eb62b6ca','{lake}/warehouse/kept-16027d29-7114-4351-aef7-9d307cc74557/metadata/00000-b05c7333-6757-4bc4-a64a-5e9a3f9b84ef.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('3e495d5f-79f7-4107-b6b9-6f976d7795c2','pipe','451c76c7-8014-4fdf-b76f-de123f676b5b','arriving','arriving','writer','every file once',1795884245976,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('df83d416-94d6-485e-ac7f-2536754d7b2a','table','451c76c7-8014-4fdf-b76f-de123f676b5b','model','model','writer',NULL,1795884245990,NULL,NULL,NULL,NULL,NULL,'main.other','model','4c0eec64-8588-40ac-b7f0-ebbb43075d97','{lake}/warehouse/model-df83d416-94d6-485e-ac7f-2536754d7b2a/metadata/00000-4f0fd111-0acd-4a6f-8514-eac7b2d0d071.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('2157960b-ce42-4e5e-b0c8-77fc4d412d8d','table','451c76c7-8014-4fdf-b76f-de123f676b5b','twin','twin','writer',NULL,1795884246001,NULL,NULL,NULL,NULL,NULL,'main.other','twin','e3ae95ad-2f70-4ecc-9ea9-32ff53f3ac6e','{lake}/warehouse/twin-2157960b-ce42-4e5e-b0c8-77fc4d412d8d/metadata/00000-4a00413a-6ed3-44bf-9ce2-9261230290e2.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('01389837-388d-48fa-8efc-d3270ea8c202','table','451c76c7-8014-4fdf-b76f-de123f676b5b','gone','gone','writer',NULL,1795884246023,1795884246030,'4c14a921-1fc3-459f-ab0d-c17b5bd34fad',NULL,NULL,NULL,'main.other','gone','38f46d1f-7c2c-43e7-ac43-30b3fe086662','{lake}/warehouse/gone-01389837-388d-48fa-8efc-d3270ea8c202/metadata/00000-f792ecea-c325-4893-a698-52a16642777f.metadata.json',1,NULL);
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
CREATE TABLE icemelt_pipes (
	pipe_id VARCHAR(36) NOT NULL, 
	ingested_at BIGINT, 
	ingested_name VARCHAR(2048), 
	error TEXT, 
	error_at BIGINT, 
	CONSTRAINT pk_icemelt_pipes PRIMARY KEY (pipe_id), 
	CONSTRAINT fk_icemelt_pipes_pipe_id FOREIGN KEY(pipe_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_queued_files (
	pipe_id VARCHAR(36) NOT NULL, 
	path VARCHAR(2048) NOT NULL, 
	name VARCHAR(2048) NOT NULL, 
	size BIGINT NOT NULL, 
	modified_at BIGINT NOT NULL, 
	queued_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_queued_files PRIMARY KEY (pipe_id, path), 
	CONSTRAINT fk_icemelt_queued_files_pipe_id FOREIGN KEY(pipe_id) REFERENCES icemelt_objects (object_id)
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
INSERT INTO "icemelt_sequences" VALUES('62d1a08b-dc51-4cb3-a7f3-0f8e5f30b3bd',2,1,1795884243865);
INSERT INTO "icemelt_sequences" VALUES('62d1a08b-dc51-4cb3-a7f3-0f8e5f30b3bd',3,2,1795884245574);
CREATE TABLE icemelt_sharing (
	table_id VARCHAR(36) NOT NULL, 
	family_id VARCHAR(36) NOT NULL, 
	folder TEXT NOT NULL, 
	collection VARCHAR(16), 
	CONSTRAINT pk_icemelt_sharing PRIMARY KEY (table_id)
);
INSERT INTO "icemelt_sharing" VALUES('df83d416-94d6-485e-ac7f-2536754d7b2a','df83d416-94d6-485e-ac7f-2536754d7b2a','{lake}/warehouse/model-df83d416-94d6-485e-ac7f-2536754d7b2a',NULL);
INSERT INTO "icemelt_sharing" VALUES('2157960b-ce42-4e5e-b0c8-77fc4d412d8d','df83d416-94d6-485e-ac7f-2536754d7b2a','{lake}/warehouse/twin-2157960b-ce42-4e5e-b0c8-77fc4d412d8d',NULL);
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
	error_message TEXT, key_id VARCHAR(36), database_name VARCHAR(255), schema_name VARCHAR(255), 
	CONSTRAINT pk_icemelt_statements PRIMARY KEY (statement_id)
);
INSERT INTO "icemelt_statements" VALUES('220b69c9-524f-4c39-9558-4bb13967b931','04e7625b-1b5a-435a-b614-e80d350cf3c6','b803f426-297d-4325-99c3-b753dac1f86e','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795884238563,1795884239273,'succeeded',1,1,0,NULL,NULL,NULL,'main','public');
INSERT INTO "icemelt_statements" VALUES('27550e23-0fa0-4747-8647-cc89941988f9','04e7625b-1b5a-435a-b614-e80d350cf3c6','1b0af791-25fc-4f7f-8c48-6f3f3ae79527','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795884239630,1795884243865,'succeeded',2,1,2,NULL,NULL,NULL,'main','public');
INSERT INTO "icemelt_statements" VALUES('fbf438fa-e6ec-4d06-bf6e-96ca476ebf4c','04e7625b-1b5a-435a-b614-e80d350cf3c6','19db4419-c671-497b-948a-e2b1d413857a','writer','DELETE FROM events WHERE id = 1','DELETE',1795884243878,1795884245572,'succeeded',3,1,1,NULL,NULL,NULL,'main','public');
INSERT INTO "icemelt_statements" VALUES('f8457d3e-efbd-431a-adb3-4df859c6a6d6','04e7625b-1b5a-435a-b614-e80d350cf3c6','8a63070b-66b1-42bd-9740-de5d0ba90e61','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795884245578,1795884245583,'succeeded',4,1,0,NULL,NULL,NULL,'main','public');
INSERT INTO "icemelt_statements" VALUES('e408ff93-05b6-4088-971e-620a2aba8ef4','04e7625b-1b5a-435a-b614-e80d350cf3c6','95342dfb-9684-439b-bf30-ebc153ea66c2','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795884245588,1795884245805,'succeeded',5,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('c3d480ba-3b2b-4128-b616-b2617276cf12','04e7625b-1b5a-435a-b614-e80d350cf3c6','bbb2e1b9-b9bb-4c00-9a83-23f2a93eb682','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795884245810,1795884245842,'succeeded',6,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('8d88f39e-7279-43b6-8d38-5eb448ce7ca0','04e7625b-1b5a-435a-b614-e80d350cf3c6','97730df4-bc06-4f0e-b0a9-51419d90aa42','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795884245846,1795884245861,'succeeded',7,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('2b36b560-369f-4f4c-a5be-7aa8df2a4274','04e7625b-1b5a-435a-b614-e80d350cf3c6','256ff62f-8e68-43dd-b1ac-91628a0ab203','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795884245865,1795884245868,'succeeded',8,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('fa1b8f5a-aaf4-49c1-b8d9-b9270eaa3410','04e7625b-1b5a-435a-b614-e80d350cf3c6','cbf962c5-6aeb-4ad9-816d-f680bb7988f9','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795884245874,1795884245944,'succeeded',9,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('a80db38e-a240-42aa-97da-896dcb005381','04e7625b-1b5a-435a-b614-e80d350cf3c6','e1a45166-7091-49eb-9a59-730eed104889','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795884245948,1795884245950,'succeeded',10,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('554d89b0-f4cb-4146-b779-50fd177c58c2','04e7625b-1b5a-435a-b614-e80d350cf3c6','b66251e5-eb76-4c85-b5d0-12e5b2f6a356','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795884245953,1795884245955,'succeeded',11,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('267cb254-d18c-471f-b672-7578c3b563f0','04e7625b-1b5a-435a-b614-e80d350cf3c6','19c4d85e-35ab-4e9c-bde4-092b36eca04d','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795884245955,1795884245957,'succeeded',12,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('21689674-a711-4300-927a-4e359f707df1','04e7625b-1b5a-435a-b614-e80d350cf3c6','f1e44e2e-9378-4ff1-bfbc-ec3a2b93ed85','writer','CREATE TABLE kept (id INT)','CREATE',1795884245961,1795884245967,'succeeded',13,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('95ab5b6c-986e-4ca7-a89a-904e812bdbb2','04e7625b-1b5a-435a-b614-e80d350cf3c6','57879d0b-3b28-4425-a1cf-896a29760fff','writer','CREATE PIPE arriving COMMENT = ''every file once'' AS COPY INTO kept FROM @landing','CREATE',1795884245969,1795884245976,'succeeded',14,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('baea541a-981a-4707-807f-0653afd14eb4','04e7625b-1b5a-435a-b614-e80d350cf3c6','401a10e9-a9b1-49f4-b20c-87f4ced9c3a3','writer','CREATE TABLE model (id INT)','CREATE',1795884245977,1795884245988,'succeeded',15,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('11bb283b-ec2c-46dc-a890-a8544782199a','04e7625b-1b5a-435a-b614-e80d350cf3c6','cea8af28-2ced-4e9c-b0c2-5640b6a51bfe','writer','CREATE TABLE twin CLONE model','CREATE',1795884245992,1795884245999,'succeeded',16,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('b5dcc422-5d4b-4cb1-b0ca-8e77af54206c','04e7625b-1b5a-435a-b614-e80d350cf3c6','07f9c597-20b2-4052-bde3-aee4ba1c9b90','writer','CREATE TABLE gone (id INT)','CREATE',1795884246011,1795884246021,'succeeded',17,1,0,NULL,NULL,NULL,'main','other');
INSERT INTO "icemelt_statements" VALUES('7638e053-9c7a-45f6-b4d6-b2eac6abfa47','04e7625b-1b5a-435a-b614-e80d350cf3c6','af7a8e9b-4348-43ab-b238-ac6d0dd45493','writer','DROP TABLE gone','DROP',1795884246028,1795884246030,'succeeded',18,1,0,NULL,NULL,NULL,'main','other');
CREATE TABLE icemelt_streams (
	stream_id VARCHAR(36) NOT NULL, 
	source_kind VARCHAR(16) NOT NULL, 
	source_id VARCHAR(36) NOT NULL, 
	mode VARCHAR(16) NOT NULL, 
	move BIGINT NOT NULL, 
	dialect VARCHAR(16) DEFAULT 'SNOWFLAKE' NOT NULL, source_version BIGINT DEFAULT '0' NOT NULL, on_missing VARCHAR(16) DEFAULT 'ERROR' NOT NULL, files_skipped BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_icemelt_streams PRIMARY KEY (stream_id), 
	CONSTRAINT fk_icemelt_streams_stream_id FOREIGN KEY(stream_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT fk_icemelt_streams_source_id FOREIGN KEY(source_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_streams" VALUES('7ea4bad3-5d75-4769-addd-d397094ee58b','table','3aa27e0a-7ec9-4413-bc60-fe8e3c582969','DEFAULT',0,'SNOWFLAKE',0,'ERROR',0);
INSERT INTO "icemelt_streams" VALUES('0592e62e-96f8-497b-9490-9837ad5d4be9','table','3aa27e0a-7ec9-4413-bc60-fe8e3c582969','DEFAULT',0,'SINGDATA',0,'ERROR',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('62d1a08b-dc51-4cb3-a7f3-0f8e5f30b3bd',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('3aa27e0a-7ec9-4413-bc60-fe8e3c582969',5,6);
INSERT INTO "icemelt_tracking" VALUES('3aa27e0a-7ec9-4413-bc60-fe8e3c582969',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('16027d29-7114-4351-aef7-9d307cc74557',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('df83d416-94d6-485e-ac7f-2536754d7b2a',15,NULL);
INSERT INTO "icemelt_tracking" VALUES('2157960b-ce42-4e5e-b0c8-77fc4d412d8d',16,NULL);
INSERT INTO "icemelt_tracking" VALUES('01389837-388d-48fa-8efc-d3270ea8c202',17,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('b803f426-297d-4325-99c3-b753dac1f86e','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',1,1795884239274);
INSERT INTO "icemelt_transactions" VALUES('1b0af791-25fc-4f7f-8c48-6f3f3ae79527','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',2,1795884243865);
INSERT INTO "icemelt_transactions" VALUES('19db4419-c671-497b-948a-e2b1d413857a','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',3,1795884245574);
INSERT INTO "icemelt_transactions" VALUES('8a63070b-66b1-42bd-9740-de5d0ba90e61','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',4,1795884245583);
INSERT INTO "icemelt_transactions" VALUES('95342dfb-9684-439b-bf30-ebc153ea66c2','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',5,1795884245805);
INSERT INTO "icemelt_transactions" VALUES('bbb2e1b9-b9bb-4c00-9a83-23f2a93eb682','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',6,1795884245843);
INSERT INTO "icemelt_transactions" VALUES('97730df4-bc06-4f0e-b0a9-51419d90aa42','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',7,1795884245863);
INSERT INTO "icemelt_transactions" VALUES('256ff62f-8e68-43dd-b1ac-91628a0ab203','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',8,1795884245868);
INSERT INTO "icemelt_transactions" VALUES('cbf962c5-6aeb-4ad9-816d-f680bb7988f9','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',9,1795884245944);
INSERT INTO "icemelt_transactions" VALUES('e1a45166-7091-49eb-9a59-730eed104889','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',10,1795884245950);
INSERT INTO "icemelt_transactions" VALUES('b66251e5-eb76-4c85-b5d0-12e5b2f6a356','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',11,1795884245955);
INSERT INTO "icemelt_transactions" VALUES('19c4d85e-35ab-4e9c-bde4-092b36eca04d','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',12,1795884245959);
INSERT INTO "icemelt_transactions" VALUES('f1e44e2e-9378-4ff1-bfbc-ec3a2b93ed85','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',13,1795884245968);
INSERT INTO "icemelt_transactions" VALUES('57879d0b-3b28-4425-a1cf-896a29760fff','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',14,1795884245976);
INSERT INTO "icemelt_transactions" VALUES('401a10e9-a9b1-49f4-b20c-87f4ced9c3a3','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',15,1795884245990);
INSERT INTO "icemelt_transactions" VALUES('cea8af28-2ced-4e9c-b0c2-5640b6a51bfe','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',16,1795884246001);
INSERT INTO "icemelt_transactions" VALUES('07f9c597-20b2-4052-bde3-aee4ba1c9b90','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',17,1795884246023);
INSERT INTO "icemelt_transactions" VALUES('af7a8e9b-4348-43ab-b238-ac6d0dd45493','04e7625b-1b5a-435a-b614-e80d350cf3c6','writer',18,1795884246030);
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
INSERT INTO "icemelt_versions" VALUES('62d1a08b-dc51-4cb3-a7f3-0f8e5f30b3bd',1,1,1795884239274,NULL,'CREATE','[]','writer','220b69c9-524f-4c39-9558-4bb13967b931','b803f426-297d-4325-99c3-b753dac1f86e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-62d1a08b-dc51-4cb3-a7f3-0f8e5f30b3bd/metadata/00000-2f07fb3f-0555-4531-b3f8-7a52098f10e5.metadata.json');
INSERT INTO "icemelt_versions" VALUES('62d1a08b-dc51-4cb3-a7f3-0f8e5f30b3bd',2,2,1795884243865,6812457574892609633,'INSERT','[[6812457574892609633, 1, "append", 0, 2]]','writer','27550e23-0fa0-4747-8647-cc89941988f9','1b0af791-25fc-4f7f-8c48-6f3f3ae79527',0,2,640,2,0,0,'{lake}/warehouse/events-62d1a08b-dc51-4cb3-a7f3-0f8e5f30b3bd/metadata/00001-64781b70-c08b-42ed-af5e-19a872d1b25c.metadata.json');
INSERT INTO "icemelt_versions" VALUES('62d1a08b-dc51-4cb3-a7f3-0f8e5f30b3bd',3,3,1795884245574,5165677060199528835,'DELETE','[[5165677060199528835, 2, "delete", 2, 0]]','writer','fbf438fa-e6ec-4d06-bf6e-96ca476ebf4c','19db4419-c671-497b-948a-e2b1d413857a',0,1,682,0,0,1,'{lake}/warehouse/events-62d1a08b-dc51-4cb3-a7f3-0f8e5f30b3bd/metadata/00002-85a977d2-9069-4753-83a6-bc93b74659d7.metadata.json');
INSERT INTO "icemelt_versions" VALUES('3aa27e0a-7ec9-4413-bc60-fe8e3c582969',1,5,1795884245805,NULL,'CREATE','[]','writer','e408ff93-05b6-4088-971e-620a2aba8ef4','95342dfb-9684-439b-bf30-ebc153ea66c2',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-3aa27e0a-7ec9-4413-bc60-fe8e3c582969/metadata/00000-a15d198e-4629-475c-bd0a-b4b96cf6ecf9.metadata.json');
INSERT INTO "icemelt_versions" VALUES('16027d29-7114-4351-aef7-9d307cc74557',1,13,1795884245968,NULL,'CREATE','[]','writer','21689674-a711-4300-927a-4e359f707df1','f1e44e2e-9378-4ff1-bfbc-ec3a2b93ed85',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-16027d29-7114-4351-aef7-9d307cc74557/metadata/00000-b05c7333-6757-4bc4-a64a-5e9a3f9b84ef.metadata.json');
INSERT INTO "icemelt_versions" VALUES('df83d416-94d6-485e-ac7f-2536754d7b2a',1,15,1795884245990,NULL,'CREATE','[]','writer','baea541a-981a-4707-807f-0653afd14eb4','401a10e9-a9b1-49f4-b20c-87f4ced9c3a3',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/model-df83d416-94d6-485e-ac7f-2536754d7b2a/metadata/00000-4f0fd111-0acd-4a6f-8514-eac7b2d0d071.metadata.json');
INSERT INTO "icemelt_versions" VALUES('2157960b-ce42-4e5e-b0c8-77fc4d412d8d',1,16,1795884246001,NULL,'CLONE','[]','writer','11bb283b-ec2c-46dc-a890-a8544782199a','cea8af28-2ced-4e9c-b0c2-5640b6a51bfe',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/twin-2157960b-ce42-4e5e-b0c8-77fc4d412d8d/metadata/00000-4a00413a-6ed3-44bf-9ce2-9261230290e2.metadata.json');
INSERT INTO "icemelt_versions" VALUES('01389837-388d-48fa-8efc-d3270ea8c202',1,17,1795884246023,NULL,'CREATE','[]','writer','b5dcc422-5d4b-4cb1-b0ca-8e77af54206c','07f9c597-20b2-4052-bde3-aee4ba1c9b90',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-01389837-388d-48fa-8efc-d3270ea8c202/metadata/00000-f792ecea-c325-4893-a698-52a16642777f.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('faedd561-f810-40de-9503-a5f45c4dbd4e','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
CREATE INDEX ix_icemelt_statements_ended_at ON icemelt_statements (ended_at);
CREATE INDEX ix_icemelt_statements_key_id ON icemelt_statements (key_id, ended_at);
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
