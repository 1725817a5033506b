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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-fcf0453b-9aef-4b66-b7a8-b8a72efcfc70/metadata/00002-fee9c6e9-f7d6-4d01-9e23-08486a5715a2.metadata.json','{lake}/warehouse/events-fcf0453b-9aef-4b66-b7a8-b8a72efcfc70/metadata/00001-77b27623-966c-40d6-8d9a-997868d13393.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-c902c955-ad5c-4658-af83-398329c4f1f1/metadata/00000-aa242a99-e8b1-4839-849b-0b61c24b2f58.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-7dedc0ff-3ea4-4264-a2db-e099086e6ef6/metadata/00000-abc957ff-05cb-43bb-abb2-fa45802b756d.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-5da5d1a5-5ae6-4a47-8c89-03b04ff9136f/metadata/00000-a75d39af-a05a-4150-86ce-f421f66eedcc.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('492436a9-2f6d-4afc-a1b4-d2236230e1aa','5da5d1a5-5ae6-4a47-8c89-03b04ff9136f','first','writer',1795880168157,1795880168157,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('90d9f99d-0caa-4202-878e-0e6a25cd83c1','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('d51b9a98-ab35-4fc1-926f-346804c9de66','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
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
INSERT INTO "icemelt_dependencies" VALUES('962ac03f-d0d8-405e-accc-76f0372ff7b5',0,'BY_ID','c902c955-ad5c-4658-af83-398329c4f1f1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('7dedc0ff-3ea4-4264-a2db-e099086e6ef6',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('ab7b7373-704a-483d-b78d-65442211380e',0,'BY_ID','c902c955-ad5c-4658-af83-398329c4f1f1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('962ac03f-d0d8-405e-accc-76f0372ff7b5',0,'c902c955-ad5c-4658-af83-398329c4f1f1','table','1@7',0,8,1795880167575);
INSERT INTO "icemelt_frontiers" VALUES('ab7b7373-704a-483d-b78d-65442211380e',0,'c902c955-ad5c-4658-af83-398329c4f1f1','table','1@11',0,12,1795880167872);
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
INSERT INTO "icemelt_lake" VALUES(1,'29404f58-48fa-46ac-9872-c7416da5fe44','icemelt','{lake}/warehouse',15,1795880167938,0);
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
INSERT INTO "icemelt_migrations" VALUES('0014');
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
INSERT INTO "icemelt_objects" VALUES('7f647e57-2766-4926-b543-7ac96e45f40e','database',NULL,'main','main','',NULL,1795880145075,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('8857bb92-e0a6-42c2-b4cf-17755bbd0870','schema','7f647e57-2766-4926-b543-7ac96e45f40e','public','public','',NULL,1795880145075,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('fcf0453b-9aef-4b66-b7a8-b8a72efcfc70','table','8857bb92-e0a6-42c2-b4cf-17755bbd0870','events','events','writer','with a history',1795880160261,NULL,NULL,NULL,NULL,NULL,'main.public','events','140c22c3-f6d9-4e62-a834-904734d05202','{lake}/warehouse/events-fcf0453b-9aef-4b66-b7a8-b8a72efcfc70/metadata/00002-fee9c6e9-f7d6-4d01-9e23-08486a5715a2.metadata.json',3,3714889657374681383);
INSERT INTO "icemelt_objects" VALUES('1b197a66-43d3-4051-9e34-af06565c59f9','schema','7f647e57-2766-4926-b543-7ac96e45f40e','other','other','writer',NULL,1795880167107,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('c902c955-ad5c-4658-af83-398329c4f1f1','table','1b197a66-43d3-4051-9e34-af06565c59f9','empty','empty','writer',NULL,1795880167473,NULL,NULL,NULL,NULL,NULL,'main.other','empty','19fbb18c-dbf3-4649-be09-2f3583cca7d6','{lake}/warehouse/empty-c902c955-ad5c-4658-af83-398329c4f1f1/metadata/00000-aa242a99-e8b1-4839-849b-0b61c24b2f58.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('962ac03f-d0d8-405e-accc-76f0372ff7b5','stream','1b197a66-43d3-4051-9e34-af06565c59f9','watched','watched','writer',NULL,1795880167575,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('7dedc0ff-3ea4-4264-a2db-e099086e6ef6','view','1b197a66-43d3-4051-9e34-af06565c59f9','shown','shown','writer',NULL,1795880167791,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-7dedc0ff-3ea4-4264-a2db-e099086e6ef6/metadata/00000-abc957ff-05cb-43bb-abb2-fa45802b756d.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('90d9f99d-0caa-4202-878e-0e6a25cd83c1','file format','1b197a66-43d3-4051-9e34-af06565c59f9','semicolons','semicolons','writer',NULL,1795880167842,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('d51b9a98-ab35-4fc1-926f-346804c9de66','stage','1b197a66-43d3-4051-9e34-af06565c59f9','landing','landing','writer','where files arrive',1795880167855,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('ab7b7373-704a-483d-b78d-65442211380e','stream','1b197a66-43d3-4051-9e34-af06565c59f9','rows','rows','writer',NULL,1795880167872,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('5da5d1a5-5ae6-4a47-8c89-03b04ff9136f','table','1b197a66-43d3-4051-9e34-af06565c59f9','kept','kept','writer',NULL,1795880167895,NULL,NULL,NULL,NULL,NULL,'main.other','kept','4e872ab9-e9f9-4ffd-b3ba-c275319c73ae','{lake}/warehouse/kept-5da5d1a5-5ae6-4a47-8c89-03b04ff9136f/metadata/00000-a75d39af-a05a-4150-86ce-f421f66eedcc.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('440561e9-149b-42b3-9de7-cbb93704a0af','table','1b197a66-43d3-4051-9e34-af06565c59f9','gone','gone','writer',NULL,1795880167923,1795880167938,'8d778344-b8f8-44e0-8b2f-c47180cf1b91',NULL,NULL,NULL,'main.other','gone','6d509f64-9569-4b82-8bb3-d6250897ed58','{lake}/warehouse/gone-440561e9-149b-42b3-9de7-cbb93704a0af/metadata/00000-279c2b1f-17a6-4239-ae2f-83803daa48f1.metadata.json',1,NULL);
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
INSERT INTO "icemelt_sequences" VALUES('fcf0453b-9aef-4b66-b7a8-b8a72efcfc70',2,1,1795880165017);
INSERT INTO "icemelt_sequences" VALUES('fcf0453b-9aef-4b66-b7a8-b8a72efcfc70',3,2,1795880167100);
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
INSERT INTO "icemelt_statements" VALUES('0c32bf63-2672-4856-b1ef-dc57cee52f43','6e6fed33-b328-49e0-a646-239646099685','e032b147-6f3f-411a-b5a9-051acde56d78','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795880159584,1795880160260,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('5e5022b5-39be-4b78-ba10-c9406ed32974','6e6fed33-b328-49e0-a646-239646099685','5d6da51f-f8e3-4453-80e2-4a87417f61d3','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795880160322,1795880165017,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('8e904c64-cabb-4b5a-b94e-9e763ebe28c2','6e6fed33-b328-49e0-a646-239646099685','ce2788b0-d6ce-4204-a9cf-6d99d4647261','writer','DELETE FROM events WHERE id = 1','DELETE',1795880165023,1795880167099,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('da6cde11-a86d-4061-8cbe-139ee6d56628','6e6fed33-b328-49e0-a646-239646099685','2301f6aa-87ba-49a5-bc6c-4a923e614efb','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795880167105,1795880167107,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('16e58b86-31a8-440e-8e57-1f1c2c247aa1','6e6fed33-b328-49e0-a646-239646099685','c60b56d7-b67d-41ea-828e-32533f38baca','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795880167110,1795880167472,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('14513d24-82b1-4658-8f63-9da5b8804dd0','6e6fed33-b328-49e0-a646-239646099685','8b4b2c47-51d7-466a-9d38-79ca09c4139a','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795880167490,1795880167521,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('9587ae87-ab43-4bae-b8ca-b5fa605499d1','6e6fed33-b328-49e0-a646-239646099685','01b3f51c-41e4-4580-83da-3543a4a57cc0','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795880167530,1795880167561,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('4d80f5e8-53d7-436c-b31c-cc14f7e6f0d1','6e6fed33-b328-49e0-a646-239646099685','b3b2c53f-7737-4f0d-9878-f30c52d7da6d','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795880167564,1795880167574,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('739ddfed-2975-4312-a49c-74cc34dcbd51','6e6fed33-b328-49e0-a646-239646099685','f3447ebb-868a-4094-bc3c-b17b84c23d03','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795880167588,1795880167790,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('113834be-8520-4e35-b094-f021d52619e0','6e6fed33-b328-49e0-a646-239646099685','c6f435f8-001e-45af-9747-9a559c8e0318','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795880167839,1795880167842,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('ba285699-e032-4e72-a156-0d941d46b728','6e6fed33-b328-49e0-a646-239646099685','811ecc77-6f77-4944-bb4b-b74122e27232','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795880167849,1795880167854,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('4ed1cb50-5422-48ed-902e-b2b144b3bcaf','6e6fed33-b328-49e0-a646-239646099685','c829d088-4255-43f0-ae9c-3d98b2df16b5','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795880167861,1795880167870,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('e7485102-aeaf-47bf-b9f1-71576a9f64ad','6e6fed33-b328-49e0-a646-239646099685','634fcdd6-5419-43eb-872a-ea8d0fe7b302','writer','CREATE TABLE kept (id INT)','CREATE',1795880167878,1795880167895,'succeeded',13,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('b49963d7-171c-493a-81a7-c16d86b96cf6','6e6fed33-b328-49e0-a646-239646099685','e838b380-bba7-4281-a720-c8b6ddbe78ac','writer','CREATE TABLE gone (id INT)','CREATE',1795880167901,1795880167922,'succeeded',14,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('94216704-e3ed-4a2c-9c32-0c5ed6953cf2','6e6fed33-b328-49e0-a646-239646099685','838ec0a8-d757-4151-bdd6-fd6aafaa3ebb','writer','DROP TABLE gone','DROP',1795880167931,1795880167938,'succeeded',15,1,0,NULL,NULL,NULL);
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
INSERT INTO "icemelt_streams" VALUES('962ac03f-d0d8-405e-accc-76f0372ff7b5','table','c902c955-ad5c-4658-af83-398329c4f1f1','DEFAULT',0,'SNOWFLAKE',0);
INSERT INTO "icemelt_streams" VALUES('ab7b7373-704a-483d-b78d-65442211380e','table','c902c955-ad5c-4658-af83-398329c4f1f1','DEFAULT',0,'SINGDATA',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('fcf0453b-9aef-4b66-b7a8-b8a72efcfc70',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('c902c955-ad5c-4658-af83-398329c4f1f1',5,6);
INSERT INTO "icemelt_tracking" VALUES('c902c955-ad5c-4658-af83-398329c4f1f1',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('5da5d1a5-5ae6-4a47-8c89-03b04ff9136f',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('440561e9-149b-42b3-9de7-cbb93704a0af',14,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('e032b147-6f3f-411a-b5a9-051acde56d78','6e6fed33-b328-49e0-a646-239646099685','writer',1,1795880160261);
INSERT INTO "icemelt_transactions" VALUES('5d6da51f-f8e3-4453-80e2-4a87417f61d3','6e6fed33-b328-49e0-a646-239646099685','writer',2,1795880165017);
INSERT INTO "icemelt_transactions" VALUES('ce2788b0-d6ce-4204-a9cf-6d99d4647261','6e6fed33-b328-49e0-a646-239646099685','writer',3,1795880167100);
INSERT INTO "icemelt_transactions" VALUES('2301f6aa-87ba-49a5-bc6c-4a923e614efb','6e6fed33-b328-49e0-a646-239646099685','writer',4,1795880167107);
INSERT INTO "icemelt_transactions" VALUES('c60b56d7-b67d-41ea-828e-32533f38baca','6e6fed33-b328-49e0-a646-239646099685','writer',5,1795880167473);
INSERT INTO "icemelt_transactions" VALUES('8b4b2c47-51d7-466a-9d38-79ca09c4139a','6e6fed33-b328-49e0-a646-239646099685','writer',6,1795880167522);
INSERT INTO "icemelt_transactions" VALUES('01b3f51c-41e4-4580-83da-3543a4a57cc0','6e6fed33-b328-49e0-a646-239646099685','writer',7,1795880167563);
INSERT INTO "icemelt_transactions" VALUES('b3b2c53f-7737-4f0d-9878-f30c52d7da6d','6e6fed33-b328-49e0-a646-239646099685','writer',8,1795880167575);
INSERT INTO "icemelt_transactions" VALUES('f3447ebb-868a-4094-bc3c-b17b84c23d03','6e6fed33-b328-49e0-a646-239646099685','writer',9,1795880167791);
INSERT INTO "icemelt_transactions" VALUES('c6f435f8-001e-45af-9747-9a559c8e0318','6e6fed33-b328-49e0-a646-239646099685','writer',10,1795880167842);
INSERT INTO "icemelt_transactions" VALUES('811ecc77-6f77-4944-bb4b-b74122e27232','6e6fed33-b328-49e0-a646-239646099685','writer',11,1795880167855);
INSERT INTO "icemelt_transactions" VALUES('c829d088-4255-43f0-ae9c-3d98b2df16b5','6e6fed33-b328-49e0-a646-239646099685','writer',12,1795880167872);
INSERT INTO "icemelt_transactions" VALUES('634fcdd6-5419-43eb-872a-ea8d0fe7b302','6e6fed33-b328-49e0-a646-239646099685','writer',13,1795880167895);
INSERT INTO "icemelt_transactions" VALUES('e838b380-bba7-4281-a720-c8b6ddbe78ac','6e6fed33-b328-49e0-a646-239646099685','writer',14,1795880167923);
INSERT INTO "icemelt_transactions" VALUES('838ec0a8-d757-4151-bdd6-fd6aafaa3ebb','6e6fed33-b328-49e0-a646-239646099685','writer',15,1795880167938);
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
INSERT INTO "icemelt_versions" VALUES('fcf0453b-9aef-4b66-b7a8-b8a72efcfc70',1,1,1795880160261,NULL,'CREATE','[]','writer','0c32bf63-2672-4856-b1ef-dc57cee52f43','e032b147-6f3f-411a-b5a9-051acde56d78',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-fcf0453b-9aef-4b66-b7a8-b8a72efcfc70/metadata/00000-8f898c6a-b9a9-4b72-ab6d-118de066052c.metadata.json');
INSERT INTO "icemelt_versions" VALUES('fcf0453b-9aef-4b66-b7a8-b8a72efcfc70',2,2,1795880165017,6251586832854991452,'INSERT','[[6251586832854991452, 1, "append", 0, 2]]','writer','5e5022b5-39be-4b78-ba10-c9406ed32974','5d6da51f-f8e3-4453-80e2-4a87417f61d3',0,2,640,2,0,0,'{lake}/warehouse/events-fcf0453b-9aef-4b66-b7a8-b8a72efcfc70/metadata/00001-77b27623-966c-40d6-8d9a-997868d13393.metadata.json');
INSERT INTO "icemelt_versions" VALUES('fcf0453b-9aef-4b66-b7a8-b8a72efcfc70',3,3,1795880167100,3714889657374681383,'DELETE','[[3714889657374681383, 2, "delete", 2, 0]]','writer','8e904c64-cabb-4b5a-b94e-9e763ebe28c2','ce2788b0-d6ce-4204-a9cf-6d99d4647261',0,1,682,0,0,1,'{lake}/warehouse/events-fcf0453b-9aef-4b66-b7a8-b8a72efcfc70/metadata/00002-fee9c6e9-f7d6-4d01-9e23-08486a5715a2.metadata.json');
INSERT INTO "icemelt_versions" VALUES('c902c955-ad5c-4658-af83-398329c4f1f1',1,5,1795880167473,NULL,'CREATE','[]','writer','16e58b86-31a8-440e-8e57-1f1c2c247aa1','c60b56d7-b67d-41ea-828e-32533f38baca',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-c902c955-ad5c-4658-af83-398329c4f1f1/metadata/00000-aa242a99-e8b1-4839-849b-0b61c24b2f58.metadata.json');
INSERT INTO "icemelt_versions" VALUES('5da5d1a5-5ae6-4a47-8c89-03b04ff9136f',1,13,1795880167895,NULL,'CREATE','[]','writer','e7485102-aeaf-47bf-b9f1-71576a9f64ad','634fcdd6-5419-43eb-872a-ea8d0fe7b302',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-5da5d1a5-5ae6-4a47-8c89-03b04ff9136f/metadata/00000-a75d39af-a05a-4150-86ce-f421f66eedcc.metadata.json');
INSERT INTO "icemelt_versions" VALUES('440561e9-149b-42b3-9de7-cbb93704a0af',1,14,1795880167923,NULL,'CREATE','[]','writer','b49963d7-171c-493a-81a7-c16d86b96cf6','e838b380-bba7-4281-a720-c8b6ddbe78ac',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-440561e9-149b-42b3-9de7-cbb93704a0af/metadata/00000-279c2b1f-17a6-4239-ae2f-83803daa48f1.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('7dedc0ff-3ea4-4264-a2db-e099086e6ef6','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
