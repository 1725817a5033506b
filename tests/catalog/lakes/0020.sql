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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-043fda44-274d-4463-8052-32e2982e42bf/metadata/00002-df9afbc5-2a76-4821-b3c6-3cb641dc1cb3.metadata.json','{lake}/warehouse/events-043fda44-274d-4463-8052-32e2982e42bf/metadata/00001-05c41d43-b501-4a2f-8ed1-925c1ad27293.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-273e01cf-4006-4c16-8e6a-0244ed3e0840/metadata/00000-952835bf-e827-460f-b317-287acf5b5de1.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-0cc5d339-0878-41dd-81a8-d3c1fa7406fd/metadata/00000-cf7feb6c-0b81-4fd8-97cb-79a15b020dd6.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-6dfe6bbe-2d91-44cd-9d4e-1a75a1ca4a5f/metadata/00000-d12c5c39-490f-491f-a27d-b5423649d11d.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','model','{lake}/warehouse/model-62d76ba8-4ebc-4372-824e-0c984b07d522/metadata/00000-3e542a1d-ef3e-44b3-af98-fbcfc5f7ca9c.metadata.json','{lake}/warehouse/model-62d76ba8-4ebc-4372-824e-0c984b07d522/metadata/00000-374449b4-a54b-4380-8b02-624b0496b64b.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','twin','{lake}/warehouse/twin-de111564-4c10-499f-ae54-b8cdbb3241bb/metadata/00000-f384d3e2-8070-44d5-8107-6f42e2250abd.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('2da163af-9de7-4f67-9af8-115a1c2321c1','6dfe6bbe-2d91-44cd-9d4e-1a75a1ca4a5f','first','writer',1795908424369,1795908424369,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('1e36e576-90dc-48cd-8f0a-b488fe443582','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('b27fe053-2717-49d4-b441-6cb99cd1e83a','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
INSERT INTO "icemelt_definitions" VALUES('67fb2e83-45fe-4758-a05f-6e84598933e8','{"statement": "COPY INTO kept FROM @landing", "table": ["main", "other", "kept"], "table_id": "6dfe6bbe-2d91-44cd-9d4e-1a75a1ca4a5f", "stage": ["main", "other", "landing"], "stage_id": "b27fe053-2717-49d4-b441-6cb99cd1e83a", "stage_url": null, "file_format": null, "has_format": false, "pattern": null, "timezone": "UTC", "ingests_itself": false, "is_paused": false, "load_within": null}');
INSERT INTO "icemelt_definitions" VALUES('711da3dc-d128-4dad-8644-75c0c75281fa','{"body": "INSERT INTO kept VALUES (1)", "options": {"SCHEDULE": "USING CRON 0 3 * * * UTC"}, "after": [], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null}');
INSERT INTO "icemelt_definitions" VALUES('c3c96ece-b7be-4b40-b5b2-98db4a106741','{"body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END", "options": {}, "after": ["nightly"], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null}');
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
INSERT INTO "icemelt_dependencies" VALUES('ad2b6be1-674c-4007-b742-204b1cd1547b',0,'BY_ID','273e01cf-4006-4c16-8e6a-0244ed3e0840',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('0cc5d339-0878-41dd-81a8-d3c1fa7406fd',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('58aa892e-c5eb-40ae-af31-4e66ffad3232',0,'BY_ID','273e01cf-4006-4c16-8e6a-0244ed3e0840',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE icemelt_former_loads (
	table_id VARCHAR(36) NOT NULL, 
	path VARCHAR(2048) NOT NULL, 
	ended_in BIGINT NOT NULL, 
	size BIGINT NOT NULL, 
	modified_at BIGINT NOT NULL, 
	rows_loaded BIGINT NOT NULL, 
	errors BIGINT NOT NULL, 
	status VARCHAR(32) NOT NULL, 
	loaded_at BIGINT NOT NULL, 
	statement_id VARCHAR(36) NOT NULL, 
	rows_parsed BIGINT, 
	pipe_id VARCHAR(36), 
	first_error TEXT, 
	first_line BIGINT, 
	first_column TEXT, 
	CONSTRAINT pk_icemelt_former_loads PRIMARY KEY (table_id, path, ended_in), 
	CONSTRAINT fk_icemelt_former_loads_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
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
INSERT INTO "icemelt_frontiers" VALUES('ad2b6be1-674c-4007-b742-204b1cd1547b',0,'273e01cf-4006-4c16-8e6a-0244ed3e0840','table','1@7',0,8,1795908424180);
INSERT INTO "icemelt_frontiers" VALUES('58aa892e-c5eb-40ae-af31-4e66ffad3232',0,'273e01cf-4006-4c16-8e6a-0244ed3e0840','table','1@11',0,12,1795908424278);
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
INSERT INTO "icemelt_lake" VALUES(1,'64553956-f0d8-40c0-9e54-80d692c5237c','icemelt','{lake}/warehouse',20,1795908424366,0);
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
INSERT INTO "icemelt_migrations" VALUES('0020');
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
INSERT INTO "icemelt_objects" VALUES('69fcbb82-d424-4d94-b189-b12220b5a64b','database',NULL,'main','main','',NULL,1795908402843,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('b89acb2f-c3da-4f37-9a9b-919de7da5088','schema','69fcbb82-d424-4d94-b189-b12220b5a64b','public','public','',NULL,1795908402843,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('043fda44-274d-4463-8052-32e2982e42bf','table','b89acb2f-c3da-4f37-9a9b-919de7da5088','events','events','writer','with a history',1795908417348,NULL,NULL,NULL,NULL,NULL,'main.public','events','3ac97c21-ce78-46a0-a949-dc73657c4402','{lake}/warehouse/events-043fda44-274d-4463-8052-32e2982e42bf/metadata/00002-df9afbc5-2a76-4821-b3c6-3cb641dc1cb3.metadata.json',3,1483387709866225074,'');
INSERT INTO "icemelt_objects" VALUES('6315a3df-97a3-4ef0-9116-98ffff1fa045','schema','69fcbb82-d424-4d94-b189-b12220b5a64b','other','other','writer',NULL,1795908423842,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('273e01cf-4006-4c16-8e6a-0244ed3e0840','table','6315a3df-97a3-4ef0-9116-98ffff1fa045','empty','empty','writer',NULL,1795908424131,NULL,NULL,NULL,NULL,NULL,'main.other','empty','33080b90-a5ca-41b6-a3ee-21cf60fd1bbd','{lake}/warehouse/empty-273e01cf-4006-4c16-8e6a-0244ed3e0840/metadata/00000-952835bf-e827-460f-b317-287acf5b5de1.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('ad2b6be1-674c-4007-b742-204b1cd1547b','stream','6315a3df-97a3-4ef0-9116-98ffff1fa045','watched','watched','writer',NULL,1795908424180,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('0cc5d339-0878-41dd-81a8-d3c1fa7406fd','view','6315a3df-97a3-4ef0-9116-98ffff1fa045','shown','shown','writer',NULL,1795908424263,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-0cc5d339-0878-41dd-81a8-d3c1fa7406fd/metadata/00000-cf7feb6c-0b81-4fd8-97cb-79a15b020dd6.metadata.json',NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('1e36e576-90dc-48cd-8f0a-b488fe443582','file format','6315a3df-97a3-4ef0-9116-98ffff1fa045','semicolons','semicolons','writer',NULL,1795908424270,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('b27fe053-2717-49d4-b441-6cb99cd1e83a','stage','6315a3df-97a3-4ef0-9116-98ffff1fa045','landing','landing','writer','where files arrive',1795908424275,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('58aa892e-c5eb-40ae-af31-4e66ffad3232','stream','6315a3df-97a3-4ef0-9116-98ffff1fa045','rows','rows','writer',NULL,1795908424278,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('6dfe6bbe-2d91-44cd-9d4e-1a75a1ca4a5f','table','6315a3df-97a3-4ef0-9116-98ffff1fa045','kept','kept','writer',NULL,1795908424293,NULL,NULL,NULL,NULL,NULL,'main.other','kept','5190a938-a3ed-40f6-9ffc-d4df5d6a8f87','{lake}/warehouse/kept-6dfe6bbe-2d91-44cd-9d4e-1a75a1ca4a5f/metadata/00000-d12c5c39-490f-491f-a27d-b5423649d11d.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('67fb2e83-45fe-4758-a05f-6e84598933e8','pipe','6315a3df-97a3-4ef0-9116-98ffff1fa045','arriving','arriving','writer','every file once',1795908424308,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('711da3dc-d128-4dad-8644-75c0c75281fa','task','6315a3df-97a3-4ef0-9116-98ffff1fa045','nightly','nightly','writer',NULL,1795908424317,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('c3c96ece-b7be-4b40-b5b2-98db4a106741','task','6315a3df-97a3-4ef0-9116-98ffff1fa045','model','model','writer',NULL,1795908424324,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('62d76ba8-4ebc-4372-824e-0c984b07d522','table','6315a3df-97a3-4ef0-9116-98ffff1fa045','model','model','writer',NULL,1795908424337,NULL,NULL,NULL,NULL,NULL,'main.other','model','61dc4483-8cbe-4244-a066-473326bbb181','{lake}/warehouse/model-62d76ba8-4ebc-4372-824e-0c984b07d522/metadata/00000-3e542a1d-ef3e-44b3-af98-fbcfc5f7ca9c.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('de111564-4c10-499f-ae54-b8cdbb3241bb','table','6315a3df-97a3-4ef0-9116-98ffff1fa045','twin','twin','writer',NULL,1795908424345,NULL,NULL,NULL,NULL,NULL,'main.other','twin','70e0939d-7aab-4a2f-b54f-ea38609b34c6','{lake}/warehouse/twin-de111564-4c10-499f-ae54-b8cdbb3241bb/metadata/00000-f384d3e2-8070-44d5-8107-6f42e2250abd.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('f0024d50-e702-4f83-922c-8b33df9a49be','table','6315a3df-97a3-4ef0-9116-98ffff1fa045','gone','gone','writer',NULL,1795908424359,1795908424366,'2fcc42da-39b1-417c-9315-864e7675ff46',NULL,NULL,NULL,'main.other','gone','5fb982f2-a715-444e-85ae-96725966280b','{lake}/warehouse/gone-f0024d50-e702-4f83-922c-8b33df9a49be/metadata/00000-3c8082a6-1caf-4c56-ab7a-27ed0565f9d2.metadata.json',1,NULL,'');
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
INSERT INTO "icemelt_sequences" VALUES('043fda44-274d-4463-8052-32e2982e42bf',2,1,1795908421978);
INSERT INTO "icemelt_sequences" VALUES('043fda44-274d-4463-8052-32e2982e42bf',3,2,1795908423837);
CREATE TABLE icemelt_sharing (
	table_id VARCHAR(36) NOT NULL, 
	family_id VARCHAR(36) NOT NULL, 
	folder TEXT NOT NULL, 
	collection VARCHAR(16), 
	CONSTRAINT pk_icemelt_sharing PRIMARY KEY (table_id)
);
INSERT INTO "icemelt_sharing" VALUES('62d76ba8-4ebc-4372-824e-0c984b07d522','62d76ba8-4ebc-4372-824e-0c984b07d522','{lake}/warehouse/model-62d76ba8-4ebc-4372-824e-0c984b07d522',NULL);
INSERT INTO "icemelt_sharing" VALUES('de111564-4c10-499f-ae54-b8cdbb3241bb','62d76ba8-4ebc-4372-824e-0c984b07d522','{lake}/warehouse/twin-de111564-4c10-499f-ae54-b8cdbb3241bb',NULL);
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
INSERT INTO "icemelt_statements" VALUES('669a1e32-44df-4b96-b248-7051eebb0586','d5248563-f366-4731-9533-57bb4c710991','916bb371-4144-40b6-91ac-54329458112d','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795908417006,1795908417348,'succeeded',1,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('57eaef07-2a5b-4f02-a2ee-6c36605899ec','d5248563-f366-4731-9533-57bb4c710991','dab8e8aa-0aa7-4820-b5f2-d313c5b0c7dd','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795908417382,1795908421977,'succeeded',2,1,2,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('3f11e657-5583-4d95-aef8-031619097075','d5248563-f366-4731-9533-57bb4c710991','fd93aae6-b92c-4d8d-8929-c24ec82a9c96','writer','DELETE FROM events WHERE id = 1','DELETE',1795908421984,1795908423837,'succeeded',3,1,1,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('0c307b02-d269-49a3-8927-8df887dae450','d5248563-f366-4731-9533-57bb4c710991','6efbfd8b-9a0e-418c-8aac-c056f16ee371','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795908423840,1795908423842,'succeeded',4,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('1a0a1ae3-33dc-42c9-be9f-79434ac55062','d5248563-f366-4731-9533-57bb4c710991','80949bac-6f91-4a25-b44d-eb052d72168e','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795908423849,1795908424129,'succeeded',5,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('3a8997db-dabd-4011-851e-f69bd1382139','d5248563-f366-4731-9533-57bb4c710991','0f21a811-ff9c-441b-9bb5-ab9fa3c09acc','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795908424141,1795908424162,'succeeded',6,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('50adeee2-034a-4b7f-a736-4700451394fd','d5248563-f366-4731-9533-57bb4c710991','4d35baac-18b1-4426-b71e-e7ed9c86bfeb','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795908424166,1795908424173,'succeeded',7,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('e285f3f9-6c7b-4be5-8160-f372bc29b491','d5248563-f366-4731-9533-57bb4c710991','89ed89d6-56dc-4504-9495-e2ba164c8a89','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795908424175,1795908424179,'succeeded',8,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('a95bc327-9ea7-4c04-88d3-8b94839686f1','d5248563-f366-4731-9533-57bb4c710991','0d9eea3b-1037-42db-9b09-9541656ad320','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795908424184,1795908424264,'succeeded',9,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('07f8d1b1-1198-4f65-b86a-2eed8bfa4ec2','d5248563-f366-4731-9533-57bb4c710991','5d116d7c-93a6-4af3-8706-42362b1e9769','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795908424268,1795908424270,'succeeded',10,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('2d3d1977-f818-4ac0-af7a-8a1b6471649f','d5248563-f366-4731-9533-57bb4c710991','d141b61d-55ac-44fd-aa18-bda9a65c5c10','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795908424272,1795908424274,'succeeded',11,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('5756d053-22c4-46b3-9521-6e6df44e0e84','d5248563-f366-4731-9533-57bb4c710991','d1ed4022-c2ee-43e6-be54-8f1a335b9f0a','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795908424276,1795908424278,'succeeded',12,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('74283761-d8ba-4da4-8fe8-40289f57fbbf','d5248563-f366-4731-9533-57bb4c710991','742b5ae0-b4f9-4b6d-86c5-109af0ff2c8d','writer','CREATE TABLE kept (id INT)','CREATE',1795908424281,1795908424294,'succeeded',13,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('28025573-8a62-4cbb-84e4-d33f9c17f108','d5248563-f366-4731-9533-57bb4c710991','5efb9df3-9079-481b-99b0-43bc3bac82f2','writer','CREATE PIPE arriving COMMENT = ''every file once'' AS COPY INTO kept FROM @landing','CREATE',1795908424297,1795908424307,'succeeded',14,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('c56b2d29-e688-4ddc-b8d6-6738ad2f7982','d5248563-f366-4731-9533-57bb4c710991','f9e51566-6cb9-404c-9bd1-29d9ac48534d','writer','CREATE TASK nightly SCHEDULE = ''USING CRON 0 3 * * * UTC'' AS INSERT INTO kept VALUES (1)','CREATE',1795908424310,1795908424316,'succeeded',15,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('295d0d88-899a-4b05-997d-961243ea3f72','d5248563-f366-4731-9533-57bb4c710991','df5edf83-a21c-4921-923c-d2ea299530f0','writer','CREATE TASK model AFTER nightly AS BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END','CREATE',1795908424318,1795908424322,'succeeded',16,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('677aa9e3-f269-4674-95fa-4b3e216113ce','d5248563-f366-4731-9533-57bb4c710991','76a0c9fe-c417-4139-91f4-092ff21e3964','writer','CREATE TABLE model (id INT)','CREATE',1795908424325,1795908424336,'succeeded',17,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('205a4cd2-98ee-462b-9fc6-2e37161d6eb6','d5248563-f366-4731-9533-57bb4c710991','a115d3d1-9e78-4912-8202-374717df86bb','writer','CREATE TABLE twin CLONE model','CREATE',1795908424339,1795908424343,'succeeded',18,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('27b5d800-a4a8-4850-a5a6-9497d074b667','d5248563-f366-4731-9533-57bb4c710991','ade13c63-f63e-4601-af97-280a8797cb27','writer','CREATE TABLE gone (id INT)','CREATE',1795908424350,1795908424359,'succeeded',19,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('390ef913-eb8f-496b-92f0-cf1819013f38','d5248563-f366-4731-9533-57bb4c710991','f47169ae-ab32-46af-8bdb-f48fef1febb7','writer','DROP TABLE gone','DROP',1795908424362,1795908424365,'succeeded',20,1,0,NULL,NULL,NULL,'main','other',0);
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
INSERT INTO "icemelt_streams" VALUES('ad2b6be1-674c-4007-b742-204b1cd1547b','table','273e01cf-4006-4c16-8e6a-0244ed3e0840','DEFAULT',0,'SNOWFLAKE',0,'ERROR',0);
INSERT INTO "icemelt_streams" VALUES('58aa892e-c5eb-40ae-af31-4e66ffad3232','table','273e01cf-4006-4c16-8e6a-0244ed3e0840','DEFAULT',0,'SINGDATA',0,'ERROR',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('043fda44-274d-4463-8052-32e2982e42bf',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('273e01cf-4006-4c16-8e6a-0244ed3e0840',5,6);
INSERT INTO "icemelt_tracking" VALUES('273e01cf-4006-4c16-8e6a-0244ed3e0840',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('6dfe6bbe-2d91-44cd-9d4e-1a75a1ca4a5f',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('62d76ba8-4ebc-4372-824e-0c984b07d522',17,NULL);
INSERT INTO "icemelt_tracking" VALUES('de111564-4c10-499f-ae54-b8cdbb3241bb',18,NULL);
INSERT INTO "icemelt_tracking" VALUES('f0024d50-e702-4f83-922c-8b33df9a49be',19,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('916bb371-4144-40b6-91ac-54329458112d','d5248563-f366-4731-9533-57bb4c710991','writer',1,1795908417348);
INSERT INTO "icemelt_transactions" VALUES('dab8e8aa-0aa7-4820-b5f2-d313c5b0c7dd','d5248563-f366-4731-9533-57bb4c710991','writer',2,1795908421978);
INSERT INTO "icemelt_transactions" VALUES('fd93aae6-b92c-4d8d-8929-c24ec82a9c96','d5248563-f366-4731-9533-57bb4c710991','writer',3,1795908423837);
INSERT INTO "icemelt_transactions" VALUES('6efbfd8b-9a0e-418c-8aac-c056f16ee371','d5248563-f366-4731-9533-57bb4c710991','writer',4,1795908423842);
INSERT INTO "icemelt_transactions" VALUES('80949bac-6f91-4a25-b44d-eb052d72168e','d5248563-f366-4731-9533-57bb4c710991','writer',5,1795908424131);
INSERT INTO "icemelt_transactions" VALUES('0f21a811-ff9c-441b-9bb5-ab9fa3c09acc','d5248563-f366-4731-9533-57bb4c710991','writer',6,1795908424164);
INSERT INTO "icemelt_transactions" VALUES('4d35baac-18b1-4426-b71e-e7ed9c86bfeb','d5248563-f366-4731-9533-57bb4c710991','writer',7,1795908424174);
INSERT INTO "icemelt_transactions" VALUES('89ed89d6-56dc-4504-9495-e2ba164c8a89','d5248563-f366-4731-9533-57bb4c710991','writer',8,1795908424180);
INSERT INTO "icemelt_transactions" VALUES('0d9eea3b-1037-42db-9b09-9541656ad320','d5248563-f366-4731-9533-57bb4c710991','writer',9,1795908424263);
INSERT INTO "icemelt_transactions" VALUES('5d116d7c-93a6-4af3-8706-42362b1e9769','d5248563-f366-4731-9533-57bb4c710991','writer',10,1795908424270);
INSERT INTO "icemelt_transactions" VALUES('d141b61d-55ac-44fd-aa18-bda9a65c5c10','d5248563-f366-4731-9533-57bb4c710991','writer',11,1795908424275);
INSERT INTO "icemelt_transactions" VALUES('d1ed4022-c2ee-43e6-be54-8f1a335b9f0a','d5248563-f366-4731-9533-57bb4c710991','writer',12,1795908424278);
INSERT INTO "icemelt_transactions" VALUES('742b5ae0-b4f9-4b6d-86c5-109af0ff2c8d','d5248563-f366-4731-9533-57bb4c710991','writer',13,1795908424293);
INSERT INTO "icemelt_transactions" VALUES('5efb9df3-9079-481b-99b0-43bc3bac82f2','d5248563-f366-4731-9533-57bb4c710991','writer',14,1795908424308);
INSERT INTO "icemelt_transactions" VALUES('f9e51566-6cb9-404c-9bd1-29d9ac48534d','d5248563-f366-4731-9533-57bb4c710991','writer',15,1795908424317);
INSERT INTO "icemelt_transactions" VALUES('df5edf83-a21c-4921-923c-d2ea299530f0','d5248563-f366-4731-9533-57bb4c710991','writer',16,1795908424324);
INSERT INTO "icemelt_transactions" VALUES('76a0c9fe-c417-4139-91f4-092ff21e3964','d5248563-f366-4731-9533-57bb4c710991','writer',17,1795908424337);
INSERT INTO "icemelt_transactions" VALUES('a115d3d1-9e78-4912-8202-374717df86bb','d5248563-f366-4731-9533-57bb4c710991','writer',18,1795908424345);
INSERT INTO "icemelt_transactions" VALUES('ade13c63-f63e-4601-af97-280a8797cb27','d5248563-f366-4731-9533-57bb4c710991','writer',19,1795908424359);
INSERT INTO "icemelt_transactions" VALUES('f47169ae-ab32-46af-8bdb-f48fef1febb7','d5248563-f366-4731-9533-57bb4c710991','writer',20,1795908424366);
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
INSERT INTO "icemelt_versions" VALUES('043fda44-274d-4463-8052-32e2982e42bf',1,1,1795908417348,NULL,'CREATE','[]','writer','669a1e32-44df-4b96-b248-7051eebb0586','916bb371-4144-40b6-91ac-54329458112d',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-043fda44-274d-4463-8052-32e2982e42bf/metadata/00000-99e1b493-3279-40c2-abf5-57e0d6365b7f.metadata.json');
INSERT INTO "icemelt_versions" VALUES('043fda44-274d-4463-8052-32e2982e42bf',2,2,1795908421978,6041879806482028478,'INSERT','[[6041879806482028478, 1, "append", 0, 2]]','writer','57eaef07-2a5b-4f02-a2ee-6c36605899ec','dab8e8aa-0aa7-4820-b5f2-d313c5b0c7dd',0,2,640,2,0,0,'{lake}/warehouse/events-043fda44-274d-4463-8052-32e2982e42bf/metadata/00001-05c41d43-b501-4a2f-8ed1-925c1ad27293.metadata.json');
INSERT INTO "icemelt_versions" VALUES('043fda44-274d-4463-8052-32e2982e42bf',3,3,1795908423837,1483387709866225074,'DELETE','[[1483387709866225074, 2, "delete", 2, 0]]','writer','3f11e657-5583-4d95-aef8-031619097075','fd93aae6-b92c-4d8d-8929-c24ec82a9c96',0,1,682,0,0,1,'{lake}/warehouse/events-043fda44-274d-4463-8052-32e2982e42bf/metadata/00002-df9afbc5-2a76-4821-b3c6-3cb641dc1cb3.metadata.json');
INSERT INTO "icemelt_versions" VALUES('273e01cf-4006-4c16-8e6a-0244ed3e0840',1,5,1795908424131,NULL,'CREATE','[]','writer','1a0a1ae3-33dc-42c9-be9f-79434ac55062','80949bac-6f91-4a25-b44d-eb052d72168e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-273e01cf-4006-4c16-8e6a-0244ed3e0840/metadata/00000-952835bf-e827-460f-b317-287acf5b5de1.metadata.json');
INSERT INTO "icemelt_versions" VALUES('6dfe6bbe-2d91-44cd-9d4e-1a75a1ca4a5f',1,13,1795908424293,NULL,'CREATE','[]','writer','74283761-d8ba-4da4-8fe8-40289f57fbbf','742b5ae0-b4f9-4b6d-86c5-109af0ff2c8d',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-6dfe6bbe-2d91-44cd-9d4e-1a75a1ca4a5f/metadata/00000-d12c5c39-490f-491f-a27d-b5423649d11d.metadata.json');
INSERT INTO "icemelt_versions" VALUES('62d76ba8-4ebc-4372-824e-0c984b07d522',1,17,1795908424337,NULL,'CREATE','[]','writer','677aa9e3-f269-4674-95fa-4b3e216113ce','76a0c9fe-c417-4139-91f4-092ff21e3964',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/model-62d76ba8-4ebc-4372-824e-0c984b07d522/metadata/00000-3e542a1d-ef3e-44b3-af98-fbcfc5f7ca9c.metadata.json');
INSERT INTO "icemelt_versions" VALUES('de111564-4c10-499f-ae54-b8cdbb3241bb',1,18,1795908424345,NULL,'CLONE','[]','writer','205a4cd2-98ee-462b-9fc6-2e37161d6eb6','a115d3d1-9e78-4912-8202-374717df86bb',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/twin-de111564-4c10-499f-ae54-b8cdbb3241bb/metadata/00000-f384d3e2-8070-44d5-8107-6f42e2250abd.metadata.json');
INSERT INTO "icemelt_versions" VALUES('f0024d50-e702-4f83-922c-8b33df9a49be',1,19,1795908424359,NULL,'CREATE','[]','writer','27b5d800-a4a8-4850-a5a6-9497d074b667','ade13c63-f63e-4601-af97-280a8797cb27',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-f0024d50-e702-4f83-922c-8b33df9a49be/metadata/00000-3c8082a6-1caf-4c56-ab7a-27ed0565f9d2.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('0cc5d339-0878-41dd-81a8-d3c1fa7406fd','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
