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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-e7c333d4-428a-484c-a501-b08a3d812a02/metadata/00002-4ffd0a72-29e9-4cfc-8e24-f6d23d2ea801.metadata.json','{lake}/warehouse/events-e7c333d4-428a-484c-a501-b08a3d812a02/metadata/00001-5334c551-d7d2-4c6a-b185-990545e376da.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-af491382-649b-42a9-9c31-9b5fe586794a/metadata/00000-fa828531-0111-42c4-b950-4d004b758896.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-3be7bf90-632f-4007-b94f-1b0519e8ff3a/metadata/00000-8b1c557d-51b7-44c6-a07a-0a3b48c3dbba.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-dd60ab77-ac76-4eea-8334-32fc11522981/metadata/00000-99e24aef-7c11-4f78-9e1a-90c0e9db85ae.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('060bf55d-7c8e-413d-8a28-58d609e355a8','dd60ab77-ac76-4eea-8334-32fc11522981','first','writer',1795883507751,1795883507751,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('dabe5037-5c05-482e-9c90-61c549e79cbd','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('2f50b721-f4f7-4723-9c25-0ea0e6771165','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}, "has_directory": false, "refreshes_itself": false, "refresh_within": null}');
INSERT INTO "icemelt_definitions" VALUES('c8f85ff5-20f2-493b-a0de-3107126eabea','{"statement": "COPY INTO kept FROM @landing", "table": ["main", "other", "kept"], "table_id": "dd60ab77-ac76-4eea-8334-32fc11522981", "stage": ["main", "other", "landing"], "stage_id": "2f50b721-f4f7-4723-9c25-0ea0e6771165", "stage_url": null, "file_format": null, "has_format": false, "pattern": null, "timezone": "UTC", "ingests_itself": false, "is_paused": false, "load_within": null}');
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
INSERT INTO "icemelt_dependencies" VALUES('f8252be6-c1e6-4559-814c-257c8fb2fe90',0,'BY_ID','af491382-649b-42a9-9c31-9b5fe586794a',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('3be7bf90-632f-4007-b94f-1b0519e8ff3a',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('49f5fc7f-db1e-4925-a7e0-a1806d67dafc',0,'BY_ID','af491382-649b-42a9-9c31-9b5fe586794a',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('f8252be6-c1e6-4559-814c-257c8fb2fe90',0,'af491382-649b-42a9-9c31-9b5fe586794a','table','1@7',0,8,1795883505819);
INSERT INTO "icemelt_frontiers" VALUES('49f5fc7f-db1e-4925-a7e0-a1806d67dafc',0,'af491382-649b-42a9-9c31-9b5fe586794a','table','1@11',0,12,1795883506824);
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
INSERT INTO "icemelt_lake" VALUES(1,'85a3199e-4e09-40bd-9cc5-14095322f455','icemelt','{lake}/warehouse',16,1795883507731,0);
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
INSERT INTO "icemelt_objects" VALUES('941f7da8-f28d-4855-8d22-721dad257522','database',NULL,'main','main','',NULL,1795883456310,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('8e493f19-3f85-41d2-8665-7634ac69d5eb','schema','941f7da8-f28d-4855-8d22-721dad257522','public','public','',NULL,1795883456310,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('e7c333d4-428a-484c-a501-b08a3d812a02','table','8e493f19-3f85-41d2-8665-7634ac69d5eb','events','events','writer','with a history',1795883483283,NULL,NULL,NULL,NULL,NULL,'main.public','events','82584a74-a548-4344-a08d-499f1d1b20c2','{lake}/warehouse/events-e7c333d4-428a-484c-a501-b08a3d812a02/metadata/00002-4ffd0a72-29e9-4cfc-8e24-f6d23d2ea801.metadata.json',3,6909892666113493066);
INSERT INTO "icemelt_objects" VALUES('8a99037e-9d2f-4abe-b08e-02259493dd5b','schema','941f7da8-f28d-4855-8d22-721dad257522','other','other','writer',NULL,1795883503072,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('af491382-649b-42a9-9c31-9b5fe586794a','table','8a99037e-9d2f-4abe-b08e-02259493dd5b','empty','empty','writer',NULL,1795883505372,NULL,NULL,NULL,NULL,NULL,'main.other','empty','82ffcdb6-c003-4acf-a15f-0a7dee3c3838','{lake}/warehouse/empty-af491382-649b-42a9-9c31-9b5fe586794a/metadata/00000-fa828531-0111-42c4-b950-4d004b758896.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('f8252be6-c1e6-4559-814c-257c8fb2fe90','stream','8a99037e-9d2f-4abe-b08e-02259493dd5b','watched','watched','writer',NULL,1795883505819,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('3be7bf90-632f-4007-b94f-1b0519e8ff3a','view','8a99037e-9d2f-4abe-b08e-02259493dd5b','shown','shown','writer',NULL,1795883506572,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-3be7bf90-632f-4007-b94f-1b0519e8ff3a/metadata/00000-8b1c557d-51b7-44c6-a07a-0a3b48c3dbba.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('dabe5037-5c05-482e-9c90-61c549e79cbd','file format','8a99037e-9d2f-4abe-b08e-02259493dd5b','semicolons','semicolons','writer',NULL,1795883506589,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('2f50b721-f4f7-4723-9c25-0ea0e6771165','stage','8a99037e-9d2f-4abe-b08e-02259493dd5b','landing','landing','writer','where files arrive',1795883506598,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('49f5fc7f-db1e-4925-a7e0-a1806d67dafc','stream','8a99037e-9d2f-4abe-b08e-02259493dd5b','rows','rows','writer',NULL,1795883506824,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('dd60ab77-ac76-4eea-8334-32fc11522981','table','8a99037e-9d2f-4abe-b08e-02259493dd5b','kept','kept','writer',NULL,1795883506969,NULL,NULL,NULL,NULL,NULL,'main.other','kept','4e31db8a-7058-49d5-8e8c-a3e419c7c170','{lake}/warehouse/kept-dd60ab77-ac76-4eea-8334-32fc11522981/metadata/00000-99e24aef-7c11-4f78-9e1a-90c0e9db85ae.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('c8f85ff5-20f2-493b-a0de-3107126eabea','pipe','8a99037e-9d2f-4abe-b08e-02259493dd5b','arriving','arriving','writer','every file once',1795883507165,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('8f56fe43-2b3d-4abf-9d29-74570722fc14','table','8a99037e-9d2f-4abe-b08e-02259493dd5b','gone','gone','writer',NULL,1795883507202,1795883507731,'4185f95d-090a-495d-b61d-7e39cfdad939',NULL,NULL,NULL,'main.other','gone','1a682a9f-d90c-4eaa-ad98-71d0d446cd92','{lake}/warehouse/gone-8f56fe43-2b3d-4abf-9d29-74570722fc14/metadata/00000-222f69ab-28e7-4740-8eec-65bc8bab5344.metadata.json',1,NULL);
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
INSERT INTO "icemelt_sequences" VALUES('e7c333d4-428a-484c-a501-b08a3d812a02',2,1,1795883495275);
INSERT INTO "icemelt_sequences" VALUES('e7c333d4-428a-484c-a501-b08a3d812a02',3,2,1795883503051);
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
INSERT INTO "icemelt_statements" VALUES('4a19c9ec-dec3-42ee-90c7-3a1cefd9ca7f','d06d555a-f122-4198-a216-6a84e4765e42','855b64b0-616a-40b0-b8ae-e9e3368f3394','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795883482314,1795883483283,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('78b25692-9d35-453c-a2c5-702f807ffb65','d06d555a-f122-4198-a216-6a84e4765e42','505ea370-e65a-415f-9f2d-3a2ed0de66ef','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795883483338,1795883495273,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('ba25c077-452a-4e4a-b6ef-d69fd6c80129','d06d555a-f122-4198-a216-6a84e4765e42','e152bd69-d04f-43b9-9d6a-c81f6fef1d3e','writer','DELETE FROM events WHERE id = 1','DELETE',1795883495290,1795883503051,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('e6c67390-4f8f-4c7b-822c-a36c84b33c76','d06d555a-f122-4198-a216-6a84e4765e42','ffc42c88-5175-4d77-85f0-9aa3efb20c6b','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795883503063,1795883503073,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('9b45458f-693f-4e03-a014-426691404d6f','d06d555a-f122-4198-a216-6a84e4765e42','44c2d482-f643-4d2b-82d0-d24ffbdc0081','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795883503134,1795883505372,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('a61fa4ef-d931-42e0-a23c-aa6945af38d9','d06d555a-f122-4198-a216-6a84e4765e42','6c24dc9b-aa97-4473-aa9f-023060c24b1a','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795883505400,1795883505520,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('66469c04-aed3-464b-90b5-185bef2d15b4','d06d555a-f122-4198-a216-6a84e4765e42','86fb6b0b-18e6-46c7-9615-3f5474ab46a1','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795883505544,1795883505804,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('185d2b97-f635-4bf1-867c-2ef926ffd637','d06d555a-f122-4198-a216-6a84e4765e42','cbd9e62f-3501-49cb-bd64-211b07ecfd30','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795883505812,1795883505818,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('acc7033c-38ae-4979-9696-9c9904949bde','d06d555a-f122-4198-a216-6a84e4765e42','ddfe117c-f316-4eed-943f-2fde2a2f623f','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795883505892,1795883506572,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('be7e4007-ad05-4929-88b8-12a6aabe6d32','d06d555a-f122-4198-a216-6a84e4765e42','bde6a2d2-9224-46fc-9018-80dd5ae10917','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795883506584,1795883506588,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('0752f932-3f15-4a4d-95cb-d10a9e701392','d06d555a-f122-4198-a216-6a84e4765e42','6eca4fa6-dc53-4c08-94eb-4160b49f7967','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795883506593,1795883506596,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('eb203306-f9b5-49b1-89d3-129b795911ff','d06d555a-f122-4198-a216-6a84e4765e42','df8baaa7-6c0c-49ef-9545-330874d0bd26','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795883506642,1795883506823,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('ec781b6c-6972-4bd0-bb30-e0eb8b3e7100','d06d555a-f122-4198-a216-6a84e4765e42','f60bd6db-643e-4335-a7ef-b8605fa24d12','writer','CREATE TABLE kept (id INT)','CREATE',1795883506867,1795883506968,'succeeded',13,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('975bb292-bd31-4852-a28a-95b6706f7551','d06d555a-f122-4198-a216-6a84e4765e42','56d2a4ac-df12-4eb9-b54b-2b535a11dc25','writer','CREATE PIPE arriving COMMENT = ''every file once'' AS COPY INTO kept FROM @landing','CREATE',1795883507020,1795883507164,'succeeded',14,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('2117afdd-43fb-46e2-ba0e-1f8770abad84','d06d555a-f122-4198-a216-6a84e4765e42','ed4f33f7-eb78-4ca9-9f72-07d87553cfda','writer','CREATE TABLE gone (id INT)','CREATE',1795883507171,1795883507202,'succeeded',15,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('b28ab3c7-d47f-4a31-a6b8-5c2ab43a637f','d06d555a-f122-4198-a216-6a84e4765e42','37c79ee2-0419-4dbb-af94-926f38f7dfbb','writer','DROP TABLE gone','DROP',1795883507207,1795883507731,'succeeded',16,1,0,NULL,NULL,NULL);
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
INSERT INTO "icemelt_streams" VALUES('f8252be6-c1e6-4559-814c-257c8fb2fe90','table','af491382-649b-42a9-9c31-9b5fe586794a','DEFAULT',0,'SNOWFLAKE',0);
INSERT INTO "icemelt_streams" VALUES('49f5fc7f-db1e-4925-a7e0-a1806d67dafc','table','af491382-649b-42a9-9c31-9b5fe586794a','DEFAULT',0,'SINGDATA',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('e7c333d4-428a-484c-a501-b08a3d812a02',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('af491382-649b-42a9-9c31-9b5fe586794a',5,6);
INSERT INTO "icemelt_tracking" VALUES('af491382-649b-42a9-9c31-9b5fe586794a',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('dd60ab77-ac76-4eea-8334-32fc11522981',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('8f56fe43-2b3d-4abf-9d29-74570722fc14',15,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('855b64b0-616a-40b0-b8ae-e9e3368f3394','d06d555a-f122-4198-a216-6a84e4765e42','writer',1,1795883483283);
INSERT INTO "icemelt_transactions" VALUES('505ea370-e65a-415f-9f2d-3a2ed0de66ef','d06d555a-f122-4198-a216-6a84e4765e42','writer',2,1795883495275);
INSERT INTO "icemelt_transactions" VALUES('e152bd69-d04f-43b9-9d6a-c81f6fef1d3e','d06d555a-f122-4198-a216-6a84e4765e42','writer',3,1795883503051);
INSERT INTO "icemelt_transactions" VALUES('ffc42c88-5175-4d77-85f0-9aa3efb20c6b','d06d555a-f122-4198-a216-6a84e4765e42','writer',4,1795883503072);
INSERT INTO "icemelt_transactions" VALUES('44c2d482-f643-4d2b-82d0-d24ffbdc0081','d06d555a-f122-4198-a216-6a84e4765e42','writer',5,1795883505372);
INSERT INTO "icemelt_transactions" VALUES('6c24dc9b-aa97-4473-aa9f-023060c24b1a','d06d555a-f122-4198-a216-6a84e4765e42','writer',6,1795883505522);
INSERT INTO "icemelt_transactions" VALUES('86fb6b0b-18e6-46c7-9615-3f5474ab46a1','d06d555a-f122-4198-a216-6a84e4765e42','writer',7,1795883505805);
INSERT INTO "icemelt_transactions" VALUES('cbd9e62f-3501-49cb-bd64-211b07ecfd30','d06d555a-f122-4198-a216-6a84e4765e42','writer',8,1795883505819);
INSERT INTO "icemelt_transactions" VALUES('ddfe117c-f316-4eed-943f-2fde2a2f623f','d06d555a-f122-4198-a216-6a84e4765e42','writer',9,1795883506572);
INSERT INTO "icemelt_transactions" VALUES('bde6a2d2-9224-46fc-9018-80dd5ae10917','d06d555a-f122-4198-a216-6a84e4765e42','writer',10,1795883506589);
INSERT INTO "icemelt_transactions" VALUES('6eca4fa6-dc53-4c08-94eb-4160b49f7967','d06d555a-f122-4198-a216-6a84e4765e42','writer',11,1795883506598);
INSERT INTO "icemelt_transactions" VALUES('df8baaa7-6c0c-49ef-9545-330874d0bd26','d06d555a-f122-4198-a216-6a84e4765e42','writer',12,1795883506824);
INSERT INTO "icemelt_transactions" VALUES('f60bd6db-643e-4335-a7ef-b8605fa24d12','d06d555a-f122-4198-a216-6a84e4765e42','writer',13,1795883506969);
INSERT INTO "icemelt_transactions" VALUES('56d2a4ac-df12-4eb9-b54b-2b535a11dc25','d06d555a-f122-4198-a216-6a84e4765e42','writer',14,1795883507165);
INSERT INTO "icemelt_transactions" VALUES('ed4f33f7-eb78-4ca9-9f72-07d87553cfda','d06d555a-f122-4198-a216-6a84e4765e42','writer',15,1795883507202);
INSERT INTO "icemelt_transactions" VALUES('37c79ee2-0419-4dbb-af94-926f38f7dfbb','d06d555a-f122-4198-a216-6a84e4765e42','writer',16,1795883507731);
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
INSERT INTO "icemelt_versions" VALUES('e7c333d4-428a-484c-a501-b08a3d812a02',1,1,1795883483283,NULL,'CREATE','[]','writer','4a19c9ec-dec3-42ee-90c7-3a1cefd9ca7f','855b64b0-616a-40b0-b8ae-e9e3368f3394',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-e7c333d4-428a-484c-a501-b08a3d812a02/metadata/00000-80e3c505-1f2c-4b71-b2bd-8807102a353a.metadata.json');
INSERT INTO "icemelt_versions" VALUES('e7c333d4-428a-484c-a501-b08a3d812a02',2,2,1795883495275,5249867700309778677,'INSERT','[[5249867700309778677, 1, "append", 0, 2]]','writer','78b25692-9d35-453c-a2c5-702f807ffb65','505ea370-e65a-415f-9f2d-3a2ed0de66ef',0,2,640,2,0,0,'{lake}/warehouse/events-e7c333d4-428a-484c-a501-b08a3d812a02/metadata/00001-5334c551-d7d2-4c6a-b185-990545e376da.metadata.json');
INSERT INTO "icemelt_versions" VALUES('e7c333d4-428a-484c-a501-b08a3d812a02',3,3,1795883503051,6909892666113493066,'DELETE','[[6909892666113493066, 2, "delete", 2, 0]]','writer','ba25c077-452a-4e4a-b6ef-d69fd6c80129','e152bd69-d04f-43b9-9d6a-c81f6fef1d3e',0,1,682,0,0,1,'{lake}/warehouse/events-e7c333d4-428a-484c-a501-b08a3d812a02/metadata/00002-4ffd0a72-29e9-4cfc-8e24-f6d23d2ea801.metadata.json');
INSERT INTO "icemelt_versions" VALUES('af491382-649b-42a9-9c31-9b5fe586794a',1,5,1795883505372,NULL,'CREATE','[]','writer','9b45458f-693f-4e03-a014-426691404d6f','44c2d482-f643-4d2b-82d0-d24ffbdc0081',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-af491382-649b-42a9-9c31-9b5fe586794a/metadata/00000-fa828531-0111-42c4-b950-4d004b758896.metadata.json');
INSERT INTO "icemelt_versions" VALUES('dd60ab77-ac76-4eea-8334-32fc11522981',1,13,1795883506969,NULL,'CREATE','[]','writer','ec781b6c-6972-4bd0-bb30-e0eb8b3e7100','f60bd6db-643e-4335-a7ef-b8605fa24d12',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-dd60ab77-ac76-4eea-8334-32fc11522981/metadata/00000-99e24aef-7c11-4f78-9e1a-90c0e9db85ae.metadata.json');
INSERT INTO "icemelt_versions" VALUES('8f56fe43-2b3d-4abf-9d29-74570722fc14',1,15,1795883507202,NULL,'CREATE','[]','writer','2117afdd-43fb-46e2-ba0e-1f8770abad84','ed4f33f7-eb78-4ca9-9f72-07d87553cfda',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-8f56fe43-2b3d-4abf-9d29-74570722fc14/metadata/00000-222f69ab-28e7-4740-8eec-65bc8bab5344.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('3be7bf90-632f-4007-b94f-1b0519e8ff3a','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
