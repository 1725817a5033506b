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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-af8f06d5-d252-493c-a32e-d55dd7e7c630/metadata/00002-1b0ef232-1a2b-48f0-906d-7cd1b17d0fc7.metadata.json','{lake}/warehouse/events-af8f06d5-d252-493c-a32e-d55dd7e7c630/metadata/00001-005ba0b1-1fb1-45d5-a19d-c55cf4385712.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-e1bb5421-e195-46c5-bc2a-21c1091fa81a/metadata/00000-8f32392d-0056-4e0b-93e8-d7afc06c844c.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-e61de383-8e17-4b14-8329-4c39eee690db/metadata/00000-fa2ced90-ec56-4e7f-af30-bab80ad3a66f.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-addb880e-9011-4c2b-bf3a-177e479d1e03/metadata/00000-6b083e5e-5fae-403b-bfa2-0a5f8666a2ae.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','model','{lake}/warehouse/model-ed4cec19-bf7c-4766-871b-7cbb0563dedb/metadata/00000-5bd9b910-e885-4254-93cf-175d2b635228.metadata.json','{lake}/warehouse/model-ed4cec19-bf7c-4766-871b-7cbb0563dedb/metadata/00000-3b66c943-e765-4234-a671-1a76efa2d177.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','twin','{lake}/warehouse/twin-14d89f98-e17c-4859-bdf7-e1cf1d72aca0/metadata/00000-0f47ce7b-e3c2-430b-83fa-e26be89571f5.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('e80176f9-0008-451c-80af-f7f69b6b8cb3','addb880e-9011-4c2b-bf3a-177e479d1e03','first','writer',1795906949285,1795906949285,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('0faef25b-03a2-463c-8c43-4bfbaa301116','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('243520ba-9542-4f14-88bc-22faa4b891c5','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
INSERT INTO "icemelt_definitions" VALUES('495a833b-c77a-4768-8c8a-cba72bcb33b6','{"statement": "COPY INTO kept FROM @landing", "table": ["main", "other", "kept"], "table_id": "addb880e-9011-4c2b-bf3a-177e479d1e03", "stage": ["main", "other", "landing"], "stage_id": "243520ba-9542-4f14-88bc-22faa4b891c5", "stage_url": null, "file_format": null, "has_format": false, "pattern": null, "timezone": "UTC", "ingests_itself": false, "is_paused": false, "load_within": null}');
INSERT INTO "icemelt_definitions" VALUES('40adf657-2be0-449d-8a8b-5a3869ccad01','{"body": "INSERT INTO kept VALUES (1)", "options": {"SCHEDULE": "USING CRON 0 3 * * * UTC"}, "after": [], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null}');
INSERT INTO "icemelt_definitions" VALUES('74261e25-b7a8-48ae-9dcd-d707b4095d8e','{"body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END", "options": {}, "after": ["nightly"], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null}');
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
INSERT INTO "icemelt_dependencies" VALUES('819c699f-72df-46d6-b831-ece5080423aa',0,'BY_ID','e1bb5421-e195-46c5-bc2a-21c1091fa81a',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('e61de383-8e17-4b14-8329-4c39eee690db',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('57893f6e-ac70-4be3-a88d-cf283208b3df',0,'BY_ID','e1bb5421-e195-46c5-bc2a-21c1091fa81a',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('819c699f-72df-46d6-b831-ece5080423aa',0,'e1bb5421-e195-46c5-bc2a-21c1091fa81a','table','1@7',0,8,1795906949004);
INSERT INTO "icemelt_frontiers" VALUES('57893f6e-ac70-4be3-a88d-cf283208b3df',0,'e1bb5421-e195-46c5-bc2a-21c1091fa81a','table','1@11',0,12,1795906949131);
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
INSERT INTO "icemelt_lake" VALUES(1,'b6fbb004-ce93-46ec-9ec6-bbf8c540fe41','icemelt','{lake}/warehouse',20,1795906949283,0);
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
INSERT INTO "icemelt_migrations" VALUES('0019');
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
	snapshot_id BIGINT, space VARCHAR(16) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_icemelt_objects PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_objects_parent_id FOREIGN KEY(parent_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_objects" VALUES('25fc7b26-f169-473b-9eb6-e8dea0c0ede4','database',NULL,'main','main','',NULL,1795906923329,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('228142b6-4b0e-461f-8394-a0730f030b21','schema','25fc7b26-f169-473b-9eb6-e8dea0c0ede4','public','public','',NULL,1795906923329,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('af8f06d5-d252-493c-a32e-d55dd7e7c630','table','228142b6-4b0e-461f-8394-a0730f030b21','events','events','writer','with a history',1795906937171,NULL,NULL,NULL,NULL,NULL,'main.public','events','5b956572-b283-4a5a-83bb-fba4a38a2465','{lake}/warehouse/events-af8f06d5-d252-493c-a32e-d55dd7e7c630/metadata/00002-1b0ef232-1a2b-48f0-906d-7cd1b17d0fc7.metadata.json',3,2269189995731026569,'');
INSERT INTO "icemelt_objects" VALUES('144bf173-447a-4b18-ad69-1dafdcff93b1','schema','25fc7b26-f169-473b-9eb6-e8dea0c0ede4','other','other','writer',NULL,1795906947958,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('e1bb5421-e195-46c5-bc2a-21c1091fa81a','table','144bf173-447a-4b18-ad69-1dafdcff93b1','empty','empty','writer',NULL,1795906948960,NULL,NULL,NULL,NULL,NULL,'main.other','empty','d2c0755c-e52b-4590-a761-33bb7dbc0e46','{lake}/warehouse/empty-e1bb5421-e195-46c5-bc2a-21c1091fa81a/metadata/00000-8f32392d-0056-4e0b-93e8-d7afc06c844c.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('819c699f-72df-46d6-b831-ece5080423aa','stream','144bf173-447a-4b18-ad69-1dafdcff93b1','watched','watched','writer',NULL,1795906949004,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('e61de383-8e17-4b14-8329-4c39eee690db','view','144bf173-447a-4b18-ad69-1dafdcff93b1','shown','shown','writer',NULL,1795906949093,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-e61de383-8e17-4b14-8329-4c39eee690db/metadata/00000-fa2ced90-ec56-4e7f-af30-bab80ad3a66f.metadata.json',NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('0faef25b-03a2-463c-8c43-4bfbaa301116','file format','144bf173-447a-4b18-ad69-1dafdcff93b1','semicolons','semicolons','writer',NULL,1795906949104,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('243520ba-9542-4f14-88bc-22faa4b891c5','stage','144bf173-447a-4b18-ad69-1dafdcff93b1','landing','landing','writer','where files arrive',1795906949117,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('57893f6e-ac70-4be3-a88d-cf283208b3df','stream','144bf173-447a-4b18-ad69-1dafdcff93b1','rows','rows','writer',NULL,1795906949131,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('addb880e-9011-4c2b-bf3a-177e479d1e03','table','144bf173-447a-4b18-ad69-1dafdcff93b1','kept','kept','writer',NULL,1795906949158,NULL,NULL,NULL,NULL,NULL,'main.other','kept','62acdb18-ead6-4ebc-90fe-a2618d57a284','{lake}/warehouse/kept-addb880e-9011-4c2b-bf3a-177e479d1e03/metadata/00000-6b083e5e-5fae-403b-bfa2-0a5f8666a2ae.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('495a833b-c77a-4768-8c8a-cba72bcb33b6','pipe','144bf173-447a-4b18-ad69-1dafdcff93b1','arriving','arriving','writer','every file once',1795906949180,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('40adf657-2be0-449d-8a8b-5a3869ccad01','task','144bf173-447a-4b18-ad69-1dafdcff93b1','nightly','nightly','writer',NULL,1795906949188,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('74261e25-b7a8-48ae-9dcd-d707b4095d8e','task','144bf173-447a-4b18-ad69-1dafdcff93b1','model','model','writer',NULL,1795906949208,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('ed4cec19-bf7c-4766-871b-7cbb0563dedb','table','144bf173-447a-4b18-ad69-1dafdcff93b1','model','model','writer',NULL,1795906949235,NULL,NULL,NULL,NULL,NULL,'main.other','model','e6a2a86c-4cb9-40a8-a82e-158130067ba4','{lake}/warehouse/model-ed4cec19-bf7c-4766-871b-7cbb0563dedb/metadata/00000-5bd9b910-e885-4254-93cf-175d2b635228.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('14d89f98-e17c-4859-bdf7-e1cf1d72aca0','table','144bf173-447a-4b18-ad69-1dafdcff93b1','twin','twin','writer',NULL,1795906949249,NULL,NULL,NULL,NULL,NULL,'main.other','twin','86fea33e-ca4b-49eb-ae8f-007df90ad026','{lake}/warehouse/twin-14d89f98-e17c-4859-bdf7-e1cf1d72aca0/metadata/00000-0f47ce7b-e3c2-430b-83fa-e26be89571f5.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('94260c57-da88-45eb-8e82-3ff95c32a7d9','table','144bf173-447a-4b18-ad69-1dafdcff93b1','gone','gone','writer',NULL,1795906949277,1795906949283,'51686655-0ae2-49ba-b752-e46f1108971a',NULL,NULL,NULL,'main.other','gone','8d0b88e1-4b4d-4861-a9bf-1fc6f4dcc3c6','{lake}/warehouse/gone-94260c57-da88-45eb-8e82-3ff95c32a7d9/metadata/00000-ab4d40a2-8a72-4493-b2ed-e9043823f58b.metadata.json',1,NULL,'');
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
CREATE TABLE icemelt_schedulers (
	scheduler_id VARCHAR(36) NOT NULL, 
	name TEXT NOT NULL, 
	host TEXT NOT NULL, 
	process_id BIGINT NOT NULL, 
	started_at BIGINT NOT NULL, 
	seen_at BIGINT NOT NULL, 
	life BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_schedulers PRIMARY KEY (scheduler_id)
);
CREATE TABLE icemelt_sequences (
	table_id VARCHAR(36) NOT NULL, 
	version BIGINT NOT NULL, 
	last_sequence BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_sequences PRIMARY KEY (table_id, version), 
	CONSTRAINT fk_icemelt_sequences_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_sequences" VALUES('af8f06d5-d252-493c-a32e-d55dd7e7c630',2,1,1795906945246);
INSERT INTO "icemelt_sequences" VALUES('af8f06d5-d252-493c-a32e-d55dd7e7c630',3,2,1795906947953);
CREATE TABLE icemelt_sharing (
	table_id VARCHAR(36) NOT NULL, 
	family_id VARCHAR(36) NOT NULL, 
	folder TEXT NOT NULL, 
	collection VARCHAR(16), 
	CONSTRAINT pk_icemelt_sharing PRIMARY KEY (table_id)
);
INSERT INTO "icemelt_sharing" VALUES('ed4cec19-bf7c-4766-871b-7cbb0563dedb','ed4cec19-bf7c-4766-871b-7cbb0563dedb','{lake}/warehouse/model-ed4cec19-bf7c-4766-871b-7cbb0563dedb',NULL);
INSERT INTO "icemelt_sharing" VALUES('14d89f98-e17c-4859-bdf7-e1cf1d72aca0','ed4cec19-bf7c-4766-871b-7cbb0563dedb','{lake}/warehouse/twin-14d89f98-e17c-4859-bdf7-e1cf1d72aca0',NULL);
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
	error_message TEXT, key_id VARCHAR(36), database_name VARCHAR(255), schema_name VARCHAR(255), files_skipped BIGINT, 
	CONSTRAINT pk_icemelt_statements PRIMARY KEY (statement_id)
);
INSERT INTO "icemelt_statements" VALUES('15024e2d-83cc-4693-a762-deae61112eb9','54aebe48-d363-497e-b038-660bfd4942b1','5e6e631d-3198-48b2-9bb4-b38a6b58d49e','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795906936974,1795906937171,'succeeded',1,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('6bcb1982-6388-44f1-850b-6c1c46c65d2b','54aebe48-d363-497e-b038-660bfd4942b1','4bdde801-c72e-444e-af8b-531412d036fd','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795906937191,1795906945245,'succeeded',2,1,2,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('92a1dded-da9b-4f4f-8510-b9a1e093de04','54aebe48-d363-497e-b038-660bfd4942b1','fd604aef-9e33-4d67-bb74-ea71fc9776bf','writer','DELETE FROM events WHERE id = 1','DELETE',1795906945254,1795906947952,'succeeded',3,1,1,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('d885bfdc-c6d2-419f-ad81-c87aac93b96f','54aebe48-d363-497e-b038-660bfd4942b1','8a0a7db9-4668-47d0-a038-4f91ab60c0f8','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795906947956,1795906947958,'succeeded',4,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('8ed47301-ecca-4353-81cc-5f08c1395959','54aebe48-d363-497e-b038-660bfd4942b1','2c4dae53-d02c-4a4c-bf99-53cdcf9a8534','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795906947959,1795906948959,'succeeded',5,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('d4049f7b-9fc3-4f93-b5ee-bef091f9863f','54aebe48-d363-497e-b038-660bfd4942b1','22bc2010-2c8c-4e25-b996-6631bd660ab2','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795906948967,1795906948988,'succeeded',6,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('00e0c0e2-fd65-457e-a714-ea598d0f475c','54aebe48-d363-497e-b038-660bfd4942b1','dc1f23e5-0513-4916-ab1f-17af589abbe9','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795906948990,1795906948998,'succeeded',7,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('c37bd1dd-bfd2-4081-bbfc-cb8f1dd770cd','54aebe48-d363-497e-b038-660bfd4942b1','ed506dda-02b6-4fbd-a17b-c2c6e15861ac','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795906949001,1795906949004,'succeeded',8,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('123d552a-88f0-495d-ba58-1d25e852f939','54aebe48-d363-497e-b038-660bfd4942b1','bc1ab780-7382-4900-9571-38b735dafa54','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795906949009,1795906949088,'succeeded',9,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('6e0ee4dd-2cfd-4529-a96f-939d09e8471c','54aebe48-d363-497e-b038-660bfd4942b1','054bef8a-d5b3-4e6e-96b6-2db6a97d1f87','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795906949099,1795906949103,'succeeded',10,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('62833744-c24d-40e1-8e94-5727d4be6ac7','54aebe48-d363-497e-b038-660bfd4942b1','a28826e0-5e1c-4d07-a916-59c0a6a3a054','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795906949112,1795906949116,'succeeded',11,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('62ef78b0-41fd-43c8-a636-2e26e0a753d8','54aebe48-d363-497e-b038-660bfd4942b1','d091a989-01c5-4bda-bc48-cbb68d611780','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795906949128,1795906949130,'succeeded',12,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('e784f6e9-9515-47bc-a6a0-c8b9ce762377','54aebe48-d363-497e-b038-660bfd4942b1','2f2790fc-b3b6-4c84-a3a9-f327a40467d9','writer','CREATE TABLE kept (id INT)','CREATE',1795906949133,1795906949156,'succeeded',13,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('70219a46-2b55-476c-ab91-ddbd4f8da6b4','54aebe48-d363-497e-b038-660bfd4942b1','1810674b-6787-4b9c-8f2b-64ad738ea3bd','writer','CREATE PIPE arriving COMMENT = ''every file once'' AS COPY INTO kept FROM @landing','CREATE',1795906949164,1795906949179,'succeeded',14,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('10cd522d-2732-408a-8202-22d8033fcb91','54aebe48-d363-497e-b038-660bfd4942b1','60ce60cc-ddb3-4cf6-8877-ff59c953e237','writer','CREATE TASK nightly SCHEDULE = ''USING CRON 0 3 * * * UTC'' AS INSERT INTO kept VALUES (1)','CREATE',1795906949181,1795906949188,'succeeded',15,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('18c61bd3-c4aa-418a-8df6-21da2f29933e','54aebe48-d363-497e-b038-660bfd4942b1','eb95801e-aa21-48ce-8191-4e24cf5d7195','writer','CREATE TASK model AFTER nightly AS BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END','CREATE',1795906949201,1795906949208,'succeeded',16,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('f76ed658-b95b-494a-abd3-e613c5b5c4df','54aebe48-d363-497e-b038-660bfd4942b1','35f9825d-d756-4e66-99e9-7fe523140f6a','writer','CREATE TABLE model (id INT)','CREATE',1795906949216,1795906949234,'succeeded',17,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('263a2a08-5156-49ff-8c38-4dc1b03908da','54aebe48-d363-497e-b038-660bfd4942b1','09776fb3-7896-4ade-9be2-dc932211e7d1','writer','CREATE TABLE twin CLONE model','CREATE',1795906949238,1795906949248,'succeeded',18,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('5d5c9f5a-df7f-43d8-9d8e-d3f1618c4b71','54aebe48-d363-497e-b038-660bfd4942b1','77c53874-a935-4d1d-b1d6-1c7413b2e946','writer','CREATE TABLE gone (id INT)','CREATE',1795906949259,1795906949276,'succeeded',19,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('4552a72e-f018-41e1-8f3c-a20ec6dc8424','54aebe48-d363-497e-b038-660bfd4942b1','872b3672-6829-4259-8119-83138fadfe30','writer','DROP TABLE gone','DROP',1795906949279,1795906949281,'succeeded',20,1,0,NULL,NULL,NULL,'main','other',0);
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
INSERT INTO "icemelt_streams" VALUES('819c699f-72df-46d6-b831-ece5080423aa','table','e1bb5421-e195-46c5-bc2a-21c1091fa81a','DEFAULT',0,'SNOWFLAKE',0,'ERROR',0);
INSERT INTO "icemelt_streams" VALUES('57893f6e-ac70-4be3-a88d-cf283208b3df','table','e1bb5421-e195-46c5-bc2a-21c1091fa81a','DEFAULT',0,'SINGDATA',0,'ERROR',0);
CREATE TABLE icemelt_task_graph_versions (
	root_id VARCHAR(36) NOT NULL, 
	number BIGINT NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	tasks JSON NOT NULL, 
	CONSTRAINT pk_icemelt_task_graph_versions PRIMARY KEY (root_id, number), 
	CONSTRAINT fk_icemelt_task_graph_versions_root_id FOREIGN KEY(root_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_task_graph_versions" VALUES('40adf657-2be0-449d-8a8b-5a3869ccad01',2,'750ca03d6b28bef191e3ca4d3e1a03bc25b08a460d03de495d6879eea88bd3f9','[{"name": "nightly", "schema": "main.other", "schedule": ["0 3 * * *", "UTC"], "object_id": "40adf657-2be0-449d-8a8b-5a3869ccad01", "owner": "writer", "body": "INSERT INTO kept VALUES (1)"}, {"name": "model", "schema": "main.other", "predecessors": ["nightly"], "object_id": "74261e25-b7a8-48ae-9dcd-d707b4095d8e", "owner": "writer", "body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END"}]');
CREATE TABLE icemelt_task_graphs (
	root_id VARCHAR(36) NOT NULL, 
	schema_id VARCHAR(36) NOT NULL, 
	revision BIGINT NOT NULL, 
	seen_at BIGINT NOT NULL, 
	next_wake BIGINT, 
	wants_look BOOLEAN NOT NULL, 
	queued_run_id BIGINT, 
	digest VARCHAR(64) NOT NULL, 
	state JSON NOT NULL, 
	CONSTRAINT pk_icemelt_task_graphs PRIMARY KEY (root_id), 
	CONSTRAINT fk_icemelt_task_graphs_root_id FOREIGN KEY(root_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT fk_icemelt_task_graphs_schema_id FOREIGN KEY(schema_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_task_graphs" VALUES('40adf657-2be0-449d-8a8b-5a3869ccad01','144bf173-447a-4b18-ad69-1dafdcff93b1',2,1795906949208,NULL,0,NULL,'750ca03d6b28bef191e3ca4d3e1a03bc25b08a460d03de495d6879eea88bd3f9','{"graph": 2, "anchor": 1795906949197000, "handled_until": 1795906949197000, "active": [], "queued": null, "last_ended": null, "failures": 0, "has_news": true, "last_look": null, "next_run_id": 1, "next_token": 1}');
CREATE TABLE icemelt_task_runs (
	root_id VARCHAR(36) NOT NULL, 
	run_id BIGINT NOT NULL, 
	task VARCHAR(255) NOT NULL, 
	attempt INTEGER NOT NULL, 
	task_id VARCHAR(36) NOT NULL, 
	folded VARCHAR(1024) NOT NULL, 
	root_name VARCHAR(255) NOT NULL, 
	database_name VARCHAR(255) NOT NULL, 
	schema_name VARCHAR(255) NOT NULL, 
	graph_version BIGINT NOT NULL, 
	origin VARCHAR(16) NOT NULL, 
	state VARCHAR(32) NOT NULL, 
	run_scheduled_at BIGINT NOT NULL, 
	scheduled_at BIGINT NOT NULL, 
	started_at BIGINT, 
	completed_at BIGINT, 
	holder TEXT, 
	token BIGINT, 
	error_code TEXT, 
	error_message TEXT, 
	return_value TEXT, 
	query_id VARCHAR(36), 
	query_text TEXT NOT NULL, 
	condition_text TEXT, 
	config TEXT, 
	CONSTRAINT pk_icemelt_task_runs PRIMARY KEY (root_id, run_id, task, attempt)
);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('af8f06d5-d252-493c-a32e-d55dd7e7c630',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('e1bb5421-e195-46c5-bc2a-21c1091fa81a',5,6);
INSERT INTO "icemelt_tracking" VALUES('e1bb5421-e195-46c5-bc2a-21c1091fa81a',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('addb880e-9011-4c2b-bf3a-177e479d1e03',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('ed4cec19-bf7c-4766-871b-7cbb0563dedb',17,NULL);
INSERT INTO "icemelt_tracking" VALUES('14d89f98-e17c-4859-bdf7-e1cf1d72aca0',18,NULL);
INSERT INTO "icemelt_tracking" VALUES('94260c57-da88-45eb-8e82-3ff95c32a7d9',19,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('5e6e631d-3198-48b2-9bb4-b38a6b58d49e','54aebe48-d363-497e-b038-660bfd4942b1','writer',1,1795906937171);
INSERT INTO "icemelt_transactions" VALUES('4bdde801-c72e-444e-af8b-531412d036fd','54aebe48-d363-497e-b038-660bfd4942b1','writer',2,1795906945246);
INSERT INTO "icemelt_transactions" VALUES('fd604aef-9e33-4d67-bb74-ea71fc9776bf','54aebe48-d363-497e-b038-660bfd4942b1','writer',3,1795906947953);
INSERT INTO "icemelt_transactions" VALUES('8a0a7db9-4668-47d0-a038-4f91ab60c0f8','54aebe48-d363-497e-b038-660bfd4942b1','writer',4,1795906947958);
INSERT INTO "icemelt_transactions" VALUES('2c4dae53-d02c-4a4c-bf99-53cdcf9a8534','54aebe48-d363-497e-b038-660bfd4942b1','writer',5,1795906948960);
INSERT INTO "icemelt_transactions" VALUES('22bc2010-2c8c-4e25-b996-6631bd660ab2','54aebe48-d363-497e-b038-660bfd4942b1','writer',6,1795906948988);
INSERT INTO "icemelt_transactions" VALUES('dc1f23e5-0513-4916-ab1f-17af589abbe9','54aebe48-d363-497e-b038-660bfd4942b1','writer',7,1795906948999);
INSERT INTO "icemelt_transactions" VALUES('ed506dda-02b6-4fbd-a17b-c2c6e15861ac','54aebe48-d363-497e-b038-660bfd4942b1','writer',8,1795906949004);
INSERT INTO "icemelt_transactions" VALUES('bc1ab780-7382-4900-9571-38b735dafa54','54aebe48-d363-497e-b038-660bfd4942b1','writer',9,1795906949093);
INSERT INTO "icemelt_transactions" VALUES('054bef8a-d5b3-4e6e-96b6-2db6a97d1f87','54aebe48-d363-497e-b038-660bfd4942b1','writer',10,1795906949104);
INSERT INTO "icemelt_transactions" VALUES('a28826e0-5e1c-4d07-a916-59c0a6a3a054','54aebe48-d363-497e-b038-660bfd4942b1','writer',11,1795906949117);
INSERT INTO "icemelt_transactions" VALUES('d091a989-01c5-4bda-bc48-cbb68d611780','54aebe48-d363-497e-b038-660bfd4942b1','writer',12,1795906949131);
INSERT INTO "icemelt_transactions" VALUES('2f2790fc-b3b6-4c84-a3a9-f327a40467d9','54aebe48-d363-497e-b038-660bfd4942b1','writer',13,1795906949158);
INSERT INTO "icemelt_transactions" VALUES('1810674b-6787-4b9c-8f2b-64ad738ea3bd','54aebe48-d363-497e-b038-660bfd4942b1','writer',14,1795906949180);
INSERT INTO "icemelt_transactions" VALUES('60ce60cc-ddb3-4cf6-8877-ff59c953e237','54aebe48-d363-497e-b038-660bfd4942b1','writer',15,1795906949188);
INSERT INTO "icemelt_transactions" VALUES('eb95801e-aa21-48ce-8191-4e24cf5d7195','54aebe48-d363-497e-b038-660bfd4942b1','writer',16,1795906949208);
INSERT INTO "icemelt_transactions" VALUES('35f9825d-d756-4e66-99e9-7fe523140f6a','54aebe48-d363-497e-b038-660bfd4942b1','writer',17,1795906949235);
INSERT INTO "icemelt_transactions" VALUES('09776fb3-7896-4ade-9be2-dc932211e7d1','54aebe48-d363-497e-b038-660bfd4942b1','writer',18,1795906949249);
INSERT INTO "icemelt_transactions" VALUES('77c53874-a935-4d1d-b1d6-1c7413b2e946','54aebe48-d363-497e-b038-660bfd4942b1','writer',19,1795906949277);
INSERT INTO "icemelt_transactions" VALUES('872b3672-6829-4259-8119-83138fadfe30','54aebe48-d363-497e-b038-660bfd4942b1','writer',20,1795906949283);
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
INSERT INTO "icemelt_versions" VALUES('af8f06d5-d252-493c-a32e-d55dd7e7c630',1,1,1795906937171,NULL,'CREATE','[]','writer','15024e2d-83cc-4693-a762-deae61112eb9','5e6e631d-3198-48b2-9bb4-b38a6b58d49e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-af8f06d5-d252-493c-a32e-d55dd7e7c630/metadata/00000-499c607a-16d4-408e-a695-f5fe802e8d0e.metadata.json');
INSERT INTO "icemelt_versions" VALUES('af8f06d5-d252-493c-a32e-d55dd7e7c630',2,2,1795906945246,696984402329537426,'INSERT','[[696984402329537426, 1, "append", 0, 2]]','writer','6bcb1982-6388-44f1-850b-6c1c46c65d2b','4bdde801-c72e-444e-af8b-531412d036fd',0,2,640,2,0,0,'{lake}/warehouse/events-af8f06d5-d252-493c-a32e-d55dd7e7c630/metadata/00001-005ba0b1-1fb1-45d5-a19d-c55cf4385712.metadata.json');
INSERT INTO "icemelt_versions" VALUES('af8f06d5-d252-493c-a32e-d55dd7e7c630',3,3,1795906947953,2269189995731026569,'DELETE','[[2269189995731026569, 2, "delete", 2, 0]]','writer','92a1dded-da9b-4f4f-8510-b9a1e093de04','fd604aef-9e33-4d67-bb74-ea71fc9776bf',0,1,682,0,0,1,'{lake}/warehouse/events-af8f06d5-d252-493c-a32e-d55dd7e7c630/metadata/00002-1b0ef232-1a2b-48f0-906d-7cd1b17d0fc7.metadata.json');
INSERT INTO "icemelt_versions" VALUES('e1bb5421-e195-46c5-bc2a-21c1091fa81a',1,5,1795906948960,NULL,'CREATE','[]','writer','8ed47301-ecca-4353-81cc-5f08c1395959','2c4dae53-d02c-4a4c-bf99-53cdcf9a8534',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-e1bb5421-e195-46c5-bc2a-21c1091fa81a/metadata/00000-8f32392d-0056-4e0b-93e8-d7afc06c844c.metadata.json');
INSERT INTO "icemelt_versions" VALUES('addb880e-9011-4c2b-bf3a-177e479d1e03',1,13,1795906949158,NULL,'CREATE','[]','writer','e784f6e9-9515-47bc-a6a0-c8b9ce762377','2f2790fc-b3b6-4c84-a3a9-f327a40467d9',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-addb880e-9011-4c2b-bf3a-177e479d1e03/metadata/00000-6b083e5e-5fae-403b-bfa2-0a5f8666a2ae.metadata.json');
INSERT INTO "icemelt_versions" VALUES('ed4cec19-bf7c-4766-871b-7cbb0563dedb',1,17,1795906949235,NULL,'CREATE','[]','writer','f76ed658-b95b-494a-abd3-e613c5b5c4df','35f9825d-d756-4e66-99e9-7fe523140f6a',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/model-ed4cec19-bf7c-4766-871b-7cbb0563dedb/metadata/00000-5bd9b910-e885-4254-93cf-175d2b635228.metadata.json');
INSERT INTO "icemelt_versions" VALUES('14d89f98-e17c-4859-bdf7-e1cf1d72aca0',1,18,1795906949249,NULL,'CLONE','[]','writer','263a2a08-5156-49ff-8c38-4dc1b03908da','09776fb3-7896-4ade-9be2-dc932211e7d1',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/twin-14d89f98-e17c-4859-bdf7-e1cf1d72aca0/metadata/00000-0f47ce7b-e3c2-430b-83fa-e26be89571f5.metadata.json');
INSERT INTO "icemelt_versions" VALUES('94260c57-da88-45eb-8e82-3ff95c32a7d9',1,19,1795906949277,NULL,'CREATE','[]','writer','5d5c9f5a-df7f-43d8-9d8e-d3f1618c4b71','77c53874-a935-4d1d-b1d6-1c7413b2e946',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-94260c57-da88-45eb-8e82-3ff95c32a7d9/metadata/00000-ab4d40a2-8a72-4493-b2ed-e9043823f58b.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('e61de383-8e17-4b14-8329-4c39eee690db','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
CREATE INDEX ix_icemelt_statements_started_at ON icemelt_statements (started_at);
CREATE INDEX ix_icemelt_transactions_commit_number ON icemelt_transactions (commit_number);
CREATE INDEX ix_icemelt_transactions_committed_at ON icemelt_transactions (committed_at);
CREATE INDEX ix_icemelt_versions_commit ON icemelt_versions (table_id, commit_number);
CREATE INDEX ix_icemelt_versions_time ON icemelt_versions (committed_at);
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
CREATE UNIQUE INDEX uq_icemelt_objects_live ON icemelt_objects (coalesce(parent_id, ''), folded, coalesce(session_id, ''), space) WHERE dropped_at IS NULL;
CREATE INDEX ix_icemelt_task_graphs_schema_id ON icemelt_task_graphs (schema_id);
CREATE INDEX ix_icemelt_task_graphs_next_wake ON icemelt_task_graphs (next_wake);
CREATE INDEX ix_icemelt_task_runs_folded_scheduled_at ON icemelt_task_runs (folded, scheduled_at);
CREATE INDEX ix_icemelt_task_runs_scheduled_at ON icemelt_task_runs (scheduled_at);
CREATE INDEX ix_icemelt_task_runs_completed_at ON icemelt_task_runs (completed_at);
CREATE INDEX ix_icemelt_task_runs_claimable ON icemelt_task_runs (scheduled_at) WHERE state = 'SCHEDULED';
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
