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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-252d295f-dbb9-4003-9f7e-b79a15356017/metadata/00002-90df8a3b-e1c9-4aab-9ea9-be29aed88a9c.metadata.json','{lake}/warehouse/events-252d295f-dbb9-4003-9f7e-b79a15356017/metadata/00001-073fa0e7-7a34-4dd5-9278-9941e1fee5a3.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-71a5d045-8528-4816-8846-4a9f33b3758d/metadata/00000-c21bfee9-674c-4a1e-9c44-e5482e630e6e.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-03de7f13-ab71-4142-8573-48cdf377e016/metadata/00000-815a5620-469c-49fd-a432-1d516c36c518.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-53b4d705-7380-44a3-8f2d-c2bc22c4b56c/metadata/00000-48e20f7a-52f9-48ce-9e1a-84621b97406a.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','model','{lake}/warehouse/model-a5ef1f19-6812-4598-880d-8d07180ce2e5/metadata/00000-ed44db80-5daa-428d-b0b6-68ad7a47b0dc.metadata.json','{lake}/warehouse/model-a5ef1f19-6812-4598-880d-8d07180ce2e5/metadata/00000-66b9919f-ae33-4d38-a2f2-47dad956fbc8.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','twin','{lake}/warehouse/twin-5a3f7fae-d871-4663-ae07-10b317e1a4e2/metadata/00000-21601dd4-5a7c-430f-9fd8-d1e4e6ef2def.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('3e6b2a83-08b7-44a0-acd3-31f61377a26b','53b4d705-7380-44a3-8f2d-c2bc22c4b56c','first','writer',1795907771609,1795907771609,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('d1b27539-d290-4311-b506-dd2cd6eea1a4','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('43636aec-b0ad-4d49-97c0-c9d5678b79da','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
INSERT INTO "icemelt_definitions" VALUES('a94945bc-6357-4ae8-b4eb-4ff9951ecf35','{"statement": "COPY INTO kept FROM @landing", "table": ["main", "other", "kept"], "table_id": "53b4d705-7380-44a3-8f2d-c2bc22c4b56c", "stage": ["main", "other", "landing"], "stage_id": "43636aec-b0ad-4d49-97c0-c9d5678b79da", "stage_url": null, "file_format": null, "has_format": false, "pattern": null, "timezone": "UTC", "ingests_itself": false, "is_paused": false, "load_within": null}');
INSERT INTO "icemelt_definitions" VALUES('ec78cf8d-85c5-49c2-959b-bd4205c839d8','{"body": "INSERT INTO kept VALUES (1)", "options": {"SCHEDULE": "USING CRON 0 3 * * * UTC"}, "after": [], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null}');
INSERT INTO "icemelt_definitions" VALUES('75be5267-46b3-43ad-b692-879e7cad4a31','{"body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END", "options": {}, "after": ["nightly"], "finalizes": null, "condition": null, "is_started": false, "resumed_at": null, "suspended_at": null, "suspended_reason": null, "run_within": null}');
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
INSERT INTO "icemelt_dependencies" VALUES('f90251d1-826f-4f4c-a8c6-b3cca945fa91',0,'BY_ID','71a5d045-8528-4816-8846-4a9f33b3758d',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('03de7f13-ab71-4142-8573-48cdf377e016',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('b8aef5a7-18f7-4f8b-80b1-2a7ea7a96e8f',0,'BY_ID','71a5d045-8528-4816-8846-4a9f33b3758d',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('f90251d1-826f-4f4c-a8c6-b3cca945fa91',0,'71a5d045-8528-4816-8846-4a9f33b3758d','table','1@7',0,8,1795907771423);
INSERT INTO "icemelt_frontiers" VALUES('b8aef5a7-18f7-4f8b-80b1-2a7ea7a96e8f',0,'71a5d045-8528-4816-8846-4a9f33b3758d','table','1@11',0,12,1795907771518);
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
INSERT INTO "icemelt_lake" VALUES(1,'43a441c0-1cf6-4ec4-9508-e62c07b6a4ad','icemelt','{lake}/warehouse',21,1795907771607,0);
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
INSERT INTO "icemelt_objects" VALUES('4157aa54-12ef-4d58-8149-5b13a0cc70bc','database',NULL,'main','main','',NULL,1795907751460,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('a574f569-188c-424c-89a1-f415d3e4b69f','schema','4157aa54-12ef-4d58-8149-5b13a0cc70bc','public','public','',NULL,1795907751460,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('252d295f-dbb9-4003-9f7e-b79a15356017','table','a574f569-188c-424c-89a1-f415d3e4b69f','events','events','writer','with a history',1795907765878,NULL,NULL,NULL,NULL,NULL,'main.public','events','24a440e1-ace6-4a54-952c-0db430767264','{lake}/warehouse/events-252d295f-dbb9-4003-9f7e-b79a15356017/metadata/00002-90df8a3b-e1c9-4aab-9ea9-be29aed88a9c.metadata.json',3,6675442728678286652,'');
INSERT INTO "icemelt_objects" VALUES('f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','schema','4157aa54-12ef-4d58-8149-5b13a0cc70bc','other','other','writer',NULL,1795907771172,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('71a5d045-8528-4816-8846-4a9f33b3758d','table','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','empty','empty','writer',NULL,1795907771384,NULL,NULL,NULL,NULL,NULL,'main.other','empty','926f7c83-5dda-4539-a744-bc889b05cb80','{lake}/warehouse/empty-71a5d045-8528-4816-8846-4a9f33b3758d/metadata/00000-c21bfee9-674c-4a1e-9c44-e5482e630e6e.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('f90251d1-826f-4f4c-a8c6-b3cca945fa91','stream','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','watched','watched','writer',NULL,1795907771423,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('03de7f13-ab71-4142-8573-48cdf377e016','view','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','shown','shown','writer',NULL,1795907771501,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-03de7f13-ab71-4142-8573-48cdf377e016/metadata/00000-815a5620-469c-49fd-a432-1d516c36c518.metadata.json',NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('d1b27539-d290-4311-b506-dd2cd6eea1a4','file format','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','semicolons','semicolons','writer',NULL,1795907771510,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('43636aec-b0ad-4d49-97c0-c9d5678b79da','stage','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','landing','landing','writer','where files arrive',1795907771515,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('b8aef5a7-18f7-4f8b-80b1-2a7ea7a96e8f','stream','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','rows','rows','writer',NULL,1795907771518,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('53b4d705-7380-44a3-8f2d-c2bc22c4b56c','table','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','kept','kept','writer',NULL,1795907771538,NULL,NULL,NULL,NULL,NULL,'main.other','kept','96a62f28-eaf3-4378-a108-2566b633476b','{lake}/warehouse/kept-53b4d705-7380-44a3-8f2d-c2bc22c4b56c/metadata/00000-48e20f7a-52f9-48ce-9e1a-84621b97406a.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('a94945bc-6357-4ae8-b4eb-4ff9951ecf35','pipe','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','arriving','arriving','writer','every file once',1795907771547,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "icemelt_objects" VALUES('ec78cf8d-85c5-49c2-959b-bd4205c839d8','task','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','nightly','nightly','writer',NULL,1795907771553,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('75be5267-46b3-43ad-b692-879e7cad4a31','task','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','model','model','writer',NULL,1795907771560,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'task');
INSERT INTO "icemelt_objects" VALUES('a5ef1f19-6812-4598-880d-8d07180ce2e5','table','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','model','model','writer',NULL,1795907771584,NULL,NULL,NULL,NULL,NULL,'main.other','model','4345165c-cb84-4738-a5e8-cced47ac93e5','{lake}/warehouse/model-a5ef1f19-6812-4598-880d-8d07180ce2e5/metadata/00000-ed44db80-5daa-428d-b0b6-68ad7a47b0dc.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('5a3f7fae-d871-4663-ae07-10b317e1a4e2','table','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','twin','twin','writer',NULL,1795907771589,NULL,NULL,NULL,NULL,NULL,'main.other','twin','4e27e319-297c-4df2-81d9-0eb9efc6cb1b','{lake}/warehouse/twin-5a3f7fae-d871-4663-ae07-10b317e1a4e2/metadata/00000-21601dd4-5a7c-430f-9fd8-d1e4e6ef2def.metadata.json',1,NULL,'');
INSERT INTO "icemelt_objects" VALUES('d30ac609-453d-42a5-926c-21a680ed67f5','table','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73','gone','gone','writer',NULL,1795907771601,1795907771607,'e9fd0652-f4c8-457a-bed2-25bf7986ed09',NULL,NULL,NULL,'main.other','gone','ddd17149-c71b-48d1-8513-961cac8dde65','{lake}/warehouse/gone-d30ac609-453d-42a5-926c-21a680ed67f5/metadata/00000-d262cddb-013a-4ec2-bf2d-4fe52eb1d1fa.metadata.json',1,NULL,'');
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
INSERT INTO "icemelt_sequences" VALUES('252d295f-dbb9-4003-9f7e-b79a15356017',2,1,1795907769281);
INSERT INTO "icemelt_sequences" VALUES('252d295f-dbb9-4003-9f7e-b79a15356017',3,2,1795907771167);
CREATE TABLE icemelt_sharing (
	table_id VARCHAR(36) NOT NULL, 
	family_id VARCHAR(36) NOT NULL, 
	folder TEXT NOT NULL, 
	collection VARCHAR(16), 
	CONSTRAINT pk_icemelt_sharing PRIMARY KEY (table_id)
);
INSERT INTO "icemelt_sharing" VALUES('a5ef1f19-6812-4598-880d-8d07180ce2e5','a5ef1f19-6812-4598-880d-8d07180ce2e5','{lake}/warehouse/model-a5ef1f19-6812-4598-880d-8d07180ce2e5',NULL);
INSERT INTO "icemelt_sharing" VALUES('5a3f7fae-d871-4663-ae07-10b317e1a4e2','a5ef1f19-6812-4598-880d-8d07180ce2e5','{lake}/warehouse/twin-5a3f7fae-d871-4663-ae07-10b317e1a4e2',NULL);
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
INSERT INTO "icemelt_statements" VALUES('39e8d39a-ad51-4bd6-8abe-f4e7c4800de6','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','26d2c573-82d1-4790-98d0-77522107c9b2','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795907765593,1795907765874,'succeeded',1,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('476c699e-c6f2-489b-81b3-fc35877e3a23','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','8c167e15-2547-4c22-898f-444bcfceb55c','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795907765898,1795907769280,'succeeded',2,1,2,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('8234eb3f-e0c7-4582-ad1d-80f108975c33','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','a363a2fa-7892-4fdc-88f9-019c68504509','writer','DELETE FROM events WHERE id = 1','DELETE',1795907769288,1795907771166,'succeeded',3,1,1,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('3071b49f-242a-4f42-8d21-3f602c825340','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','977c36da-288a-44a9-9ed0-9b89ea982fcb','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795907771170,1795907771172,'succeeded',4,1,0,NULL,NULL,NULL,'main','public',0);
INSERT INTO "icemelt_statements" VALUES('b68c35a1-199b-4282-ab75-05e83e14460f','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','5958c79e-d723-48f4-92bb-17b6e2937538','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795907771178,1795907771383,'succeeded',5,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('9703517b-70a9-434c-8a17-efaa20e71a25','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','d4f7744b-d11a-4107-a3b8-269381892038','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795907771388,1795907771409,'succeeded',6,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('460c2da2-df34-48c6-b00d-5ad01e668360','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','be22943d-6252-4c0f-a0e7-c852d236aa25','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795907771414,1795907771418,'succeeded',7,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('2b5c0974-5493-45ff-90bb-760145c1a42e','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','13232ce6-da53-4f9e-9787-873b0b6f9a54','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795907771420,1795907771423,'succeeded',8,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('38dc7e3e-5309-4ce6-9a6d-09787eb8dd91','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','4768d651-a291-42bf-9e64-8fd4f72ff2e2','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795907771427,1795907771500,'succeeded',9,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('b7415d15-d945-4a23-a3d4-e53b724f6cc7','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','6d06286a-a14f-42dc-9687-fe7c3e1d1304','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795907771506,1795907771508,'succeeded',10,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('c3de70e3-cda9-4ced-b8db-46ace9384344','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','302b2d85-8d25-4c51-a217-0b74d3abbeb9','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795907771511,1795907771513,'succeeded',11,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('cf06651d-d810-4529-9792-d5bd4d5f317b','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','78634100-4c61-44af-9a39-34666fd15232','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795907771516,1795907771518,'succeeded',12,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('1d2bf689-0d7c-46a0-ad19-c050ade030f2','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','ef037d17-cc6f-47f7-928c-c8db99c69902','writer','CREATE TABLE kept (id INT)','CREATE',1795907771518,1795907771536,'succeeded',13,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('d51a0f75-6822-4a08-9f5b-9e354aeb184c','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','2be66b48-273d-434f-9caf-f0e73b67cd4f','writer','CREATE PIPE arriving COMMENT = ''every file once'' AS COPY INTO kept FROM @landing','CREATE',1795907771540,1795907771547,'succeeded',14,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('1b3e67db-a505-4067-ba34-794074dad5fd','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','c848ee8e-76ce-4940-9500-e8548ad4beb8','writer','CREATE TASK nightly SCHEDULE = ''USING CRON 0 3 * * * UTC'' AS INSERT INTO kept VALUES (1)','CREATE',1795907771548,1795907771552,'succeeded',15,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('de1f415b-67fe-41b4-92df-20f497309a2d','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','192d12bf-768a-44d8-accf-ba580bd9033b','writer','CREATE TASK model AFTER nightly AS BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END','CREATE',1795907771558,1795907771561,'succeeded',16,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('2d40bd62-e2a3-415d-8258-8af00d9cabb4','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','1791f23a-36a2-49b3-bd2a-cd6bbd59ef49','writer','EXECUTE TASK nightly USING CONFIG = ''{"at": "night"}''','EXECUTE',1795907771565,1795907771568,'succeeded',17,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('cc826b78-8d58-44c3-8dff-d301397e0c04','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','3ca1aeb9-b19e-4d24-af21-a49b873193e0','writer','CREATE TABLE model (id INT)','CREATE',1795907771571,1795907771583,'succeeded',18,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('be949486-229c-4e39-86a8-3e1406b05dd6','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','b0567d72-6a5f-40fc-8bb6-b8336a7d74fb','writer','CREATE TABLE twin CLONE model','CREATE',1795907771587,1795907771590,'succeeded',19,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('e47c9704-034b-4359-ad84-a1b26d56af71','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','1610d454-6cd4-4587-9de7-ba62a30725af','writer','CREATE TABLE gone (id INT)','CREATE',1795907771594,1795907771602,'succeeded',20,1,0,NULL,NULL,NULL,'main','other',0);
INSERT INTO "icemelt_statements" VALUES('40227a8f-036a-487c-9978-1d4e1f844507','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','4f13f2c7-91c6-4340-af05-d6edfa31c329','writer','DROP TABLE gone','DROP',1795907771603,1795907771605,'succeeded',21,1,0,NULL,NULL,NULL,'main','other',0);
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
INSERT INTO "icemelt_streams" VALUES('f90251d1-826f-4f4c-a8c6-b3cca945fa91','table','71a5d045-8528-4816-8846-4a9f33b3758d','DEFAULT',0,'SNOWFLAKE',0,'ERROR',0);
INSERT INTO "icemelt_streams" VALUES('b8aef5a7-18f7-4f8b-80b1-2a7ea7a96e8f','table','71a5d045-8528-4816-8846-4a9f33b3758d','DEFAULT',0,'SINGDATA',0,'ERROR',0);
CREATE TABLE icemelt_task_graph_versions (
	root_id VARCHAR(36) NOT NULL, 
	number BIGINT NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	tasks JSON NOT NULL, 
	CONSTRAINT pk_icemelt_task_graph_versions PRIMARY KEY (root_id, number), 
	CONSTRAINT fk_icemelt_task_graph_versions_root_id FOREIGN KEY(root_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_task_graph_versions" VALUES('ec78cf8d-85c5-49c2-959b-bd4205c839d8',2,'fde54d22922be5170067dcabee74315c2bdab3fa35240bf03763421df83dac58','[{"name": "nightly", "schema": "main.other", "schedule": ["0 3 * * *", "UTC"], "object_id": "ec78cf8d-85c5-49c2-959b-bd4205c839d8", "owner": "writer", "body": "INSERT INTO kept VALUES (1)"}, {"name": "model", "schema": "main.other", "predecessors": ["nightly"], "object_id": "75be5267-46b3-43ad-b692-879e7cad4a31", "owner": "writer", "body": "BEGIN DELETE FROM kept; INSERT INTO kept VALUES (2); END"}]');
CREATE TABLE icemelt_task_graphs (
	root_id VARCHAR(36) NOT NULL, 
	schema_id VARCHAR(36) NOT NULL, 
	revision BIGINT NOT NULL, 
	seen_at BIGINT NOT NULL, 
	next_wake BIGINT, 
	next_scheduled_at BIGINT, 
	wants_look BOOLEAN NOT NULL, 
	queued_run_id BIGINT, 
	graph_version BIGINT NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	state JSON NOT NULL, 
	CONSTRAINT pk_icemelt_task_graphs PRIMARY KEY (root_id), 
	CONSTRAINT fk_icemelt_task_graphs_root_id FOREIGN KEY(root_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT fk_icemelt_task_graphs_schema_id FOREIGN KEY(schema_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_task_graphs" VALUES('ec78cf8d-85c5-49c2-959b-bd4205c839d8','f4b520ea-4e2d-468a-8d8e-5ee6fd9d3d73',3,1795907771567,NULL,NULL,0,NULL,2,'fde54d22922be5170067dcabee74315c2bdab3fa35240bf03763421df83dac58','{"graph": 2, "anchor": 1795907771555000, "handled_until": 1795907771555000, "active": [{"id": 1, "version": 2, "origin": "EXECUTE TASK", "scheduled_at": 1795907771567000, "attempt": 1, "config": "{\"at\": \"night\"}", "task_runs": [["nightly", 1, "SCHEDULED", 1795907771567000, null, null, null, null, null, null]]}], "queued": null, "last_ended": null, "failures": 0, "has_news": true, "last_look": null, "next_run_id": 2, "next_token": 1}');
CREATE TABLE icemelt_task_runs (
	root_id VARCHAR(36) NOT NULL, 
	run_id BIGINT NOT NULL, 
	task VARCHAR(255) NOT NULL, 
	attempt INTEGER NOT NULL, 
	task_id VARCHAR(36) NOT NULL, 
	folded VARCHAR(1024) NOT NULL, 
	root_name VARCHAR(255) NOT NULL, 
	folded_root VARCHAR(1024) NOT NULL, 
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
INSERT INTO "icemelt_task_runs" VALUES('ec78cf8d-85c5-49c2-959b-bd4205c839d8',1,'nightly',1,'ec78cf8d-85c5-49c2-959b-bd4205c839d8','nightly','nightly','nightly','main','other',2,'EXECUTE TASK','SCHEDULED',1795907771567,1795907771567,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'INSERT INTO kept VALUES (1)',NULL,'{"at": "night"}');
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('252d295f-dbb9-4003-9f7e-b79a15356017',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('71a5d045-8528-4816-8846-4a9f33b3758d',5,6);
INSERT INTO "icemelt_tracking" VALUES('71a5d045-8528-4816-8846-4a9f33b3758d',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('53b4d705-7380-44a3-8f2d-c2bc22c4b56c',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('a5ef1f19-6812-4598-880d-8d07180ce2e5',18,NULL);
INSERT INTO "icemelt_tracking" VALUES('5a3f7fae-d871-4663-ae07-10b317e1a4e2',19,NULL);
INSERT INTO "icemelt_tracking" VALUES('d30ac609-453d-42a5-926c-21a680ed67f5',20,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('26d2c573-82d1-4790-98d0-77522107c9b2','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',1,1795907765878);
INSERT INTO "icemelt_transactions" VALUES('8c167e15-2547-4c22-898f-444bcfceb55c','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',2,1795907769281);
INSERT INTO "icemelt_transactions" VALUES('a363a2fa-7892-4fdc-88f9-019c68504509','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',3,1795907771167);
INSERT INTO "icemelt_transactions" VALUES('977c36da-288a-44a9-9ed0-9b89ea982fcb','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',4,1795907771172);
INSERT INTO "icemelt_transactions" VALUES('5958c79e-d723-48f4-92bb-17b6e2937538','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',5,1795907771384);
INSERT INTO "icemelt_transactions" VALUES('d4f7744b-d11a-4107-a3b8-269381892038','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',6,1795907771410);
INSERT INTO "icemelt_transactions" VALUES('be22943d-6252-4c0f-a0e7-c852d236aa25','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',7,1795907771419);
INSERT INTO "icemelt_transactions" VALUES('13232ce6-da53-4f9e-9787-873b0b6f9a54','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',8,1795907771423);
INSERT INTO "icemelt_transactions" VALUES('4768d651-a291-42bf-9e64-8fd4f72ff2e2','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',9,1795907771501);
INSERT INTO "icemelt_transactions" VALUES('6d06286a-a14f-42dc-9687-fe7c3e1d1304','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',10,1795907771510);
INSERT INTO "icemelt_transactions" VALUES('302b2d85-8d25-4c51-a217-0b74d3abbeb9','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',11,1795907771515);
INSERT INTO "icemelt_transactions" VALUES('78634100-4c61-44af-9a39-34666fd15232','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',12,1795907771518);
INSERT INTO "icemelt_transactions" VALUES('ef037d17-cc6f-47f7-928c-c8db99c69902','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',13,1795907771538);
INSERT INTO "icemelt_transactions" VALUES('2be66b48-273d-434f-9caf-f0e73b67cd4f','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',14,1795907771547);
INSERT INTO "icemelt_transactions" VALUES('c848ee8e-76ce-4940-9500-e8548ad4beb8','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',15,1795907771553);
INSERT INTO "icemelt_transactions" VALUES('192d12bf-768a-44d8-accf-ba580bd9033b','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',16,1795907771560);
INSERT INTO "icemelt_transactions" VALUES('1791f23a-36a2-49b3-bd2a-cd6bbd59ef49','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',17,1795907771567);
INSERT INTO "icemelt_transactions" VALUES('3ca1aeb9-b19e-4d24-af21-a49b873193e0','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',18,1795907771584);
INSERT INTO "icemelt_transactions" VALUES('b0567d72-6a5f-40fc-8bb6-b8336a7d74fb','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',19,1795907771589);
INSERT INTO "icemelt_transactions" VALUES('1610d454-6cd4-4587-9de7-ba62a30725af','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',20,1795907771601);
INSERT INTO "icemelt_transactions" VALUES('4f13f2c7-91c6-4340-af05-d6edfa31c329','f37fd5b4-75bb-4dd3-bf7a-72bc6bdf73d8','writer',21,1795907771607);
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
INSERT INTO "icemelt_versions" VALUES('252d295f-dbb9-4003-9f7e-b79a15356017',1,1,1795907765878,NULL,'CREATE','[]','writer','39e8d39a-ad51-4bd6-8abe-f4e7c4800de6','26d2c573-82d1-4790-98d0-77522107c9b2',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-252d295f-dbb9-4003-9f7e-b79a15356017/metadata/00000-56ee331c-3873-44cd-a61a-e848ab997705.metadata.json');
INSERT INTO "icemelt_versions" VALUES('252d295f-dbb9-4003-9f7e-b79a15356017',2,2,1795907769281,7930876609241939672,'INSERT','[[7930876609241939672, 1, "append", 0, 2]]','writer','476c699e-c6f2-489b-81b3-fc35877e3a23','8c167e15-2547-4c22-898f-444bcfceb55c',0,2,640,2,0,0,'{lake}/warehouse/events-252d295f-dbb9-4003-9f7e-b79a15356017/metadata/00001-073fa0e7-7a34-4dd5-9278-9941e1fee5a3.metadata.json');
INSERT INTO "icemelt_versions" VALUES('252d295f-dbb9-4003-9f7e-b79a15356017',3,3,1795907771167,6675442728678286652,'DELETE','[[6675442728678286652, 2, "delete", 2, 0]]','writer','8234eb3f-e0c7-4582-ad1d-80f108975c33','a363a2fa-7892-4fdc-88f9-019c68504509',0,1,682,0,0,1,'{lake}/warehouse/events-252d295f-dbb9-4003-9f7e-b79a15356017/metadata/00002-90df8a3b-e1c9-4aab-9ea9-be29aed88a9c.metadata.json');
INSERT INTO "icemelt_versions" VALUES('71a5d045-8528-4816-8846-4a9f33b3758d',1,5,1795907771384,NULL,'CREATE','[]','writer','b68c35a1-199b-4282-ab75-05e83e14460f','5958c79e-d723-48f4-92bb-17b6e2937538',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-71a5d045-8528-4816-8846-4a9f33b3758d/metadata/00000-c21bfee9-674c-4a1e-9c44-e5482e630e6e.metadata.json');
INSERT INTO "icemelt_versions" VALUES('53b4d705-7380-44a3-8f2d-c2bc22c4b56c',1,13,1795907771538,NULL,'CREATE','[]','writer','1d2bf689-0d7c-46a0-ad19-c050ade030f2','ef037d17-cc6f-47f7-928c-c8db99c69902',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-53b4d705-7380-44a3-8f2d-c2bc22c4b56c/metadata/00000-48e20f7a-52f9-48ce-9e1a-84621b97406a.metadata.json');
INSERT INTO "icemelt_versions" VALUES('a5ef1f19-6812-4598-880d-8d07180ce2e5',1,18,1795907771584,NULL,'CREATE','[]','writer','cc826b78-8d58-44c3-8dff-d301397e0c04','3ca1aeb9-b19e-4d24-af21-a49b873193e0',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/model-a5ef1f19-6812-4598-880d-8d07180ce2e5/metadata/00000-ed44db80-5daa-428d-b0b6-68ad7a47b0dc.metadata.json');
INSERT INTO "icemelt_versions" VALUES('5a3f7fae-d871-4663-ae07-10b317e1a4e2',1,19,1795907771589,NULL,'CLONE','[]','writer','be949486-229c-4e39-86a8-3e1406b05dd6','b0567d72-6a5f-40fc-8bb6-b8336a7d74fb',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/twin-5a3f7fae-d871-4663-ae07-10b317e1a4e2/metadata/00000-21601dd4-5a7c-430f-9fd8-d1e4e6ef2def.metadata.json');
INSERT INTO "icemelt_versions" VALUES('d30ac609-453d-42a5-926c-21a680ed67f5',1,20,1795907771601,NULL,'CREATE','[]','writer','e47c9704-034b-4359-ad84-a1b26d56af71','1610d454-6cd4-4587-9de7-ba62a30725af',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-d30ac609-453d-42a5-926c-21a680ed67f5/metadata/00000-d262cddb-013a-4ec2-bf2d-4fe52eb1d1fa.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('03de7f13-ab71-4142-8573-48cdf377e016','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
CREATE INDEX ix_icemelt_task_runs_open ON icemelt_task_runs (root_id, scheduled_at) WHERE completed_at IS NULL;
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
