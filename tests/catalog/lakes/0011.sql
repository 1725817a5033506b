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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-e06c7d04-1620-40b0-a016-fb07615f3745/metadata/00002-38582b29-de99-46ed-8c95-93cf2bc61961.metadata.json','{lake}/warehouse/events-e06c7d04-1620-40b0-a016-fb07615f3745/metadata/00001-940122b2-b9c8-461b-bd18-0c7c6689bffc.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-da12eb62-545d-4f1f-8aaa-239c3cee325b/metadata/00000-ac13aeea-888c-433c-9f25-37808ce2a5b6.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-ac12e43a-4480-457f-96d6-21b062dddd53/metadata/00000-272f7f51-8497-406e-820d-68915bb452e1.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-8b329093-f0eb-4e92-84e8-59e96a20cfc1/metadata/00000-315a4cc4-a1b8-404e-b845-a055dfed08ef.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('c8599bf3-6629-454e-992d-7d060ab75794','8b329093-f0eb-4e92-84e8-59e96a20cfc1','first','writer',1795868821366,1795868821366,1,0,'7');
CREATE TABLE icemelt_definitions (
	object_id VARCHAR(36) NOT NULL, 
	definition JSON NOT NULL, 
	CONSTRAINT pk_icemelt_definitions PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_definitions_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_definitions" VALUES('85410984-8612-4fd2-acf2-c75ef99da54a','{"file_type": "CSV", "options": {"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}}');
INSERT INTO "icemelt_definitions" VALUES('2f419b47-5e0f-4bc8-9983-8dc3e41ac123','{"url": null, "format_name": ["main", "other", "semicolons"], "file_type": "CSV", "options": {}}');
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
INSERT INTO "icemelt_dependencies" VALUES('2c4d4d81-10dd-4a89-a3f2-81645d54cea8',0,'BY_ID','da12eb62-545d-4f1f-8aaa-239c3cee325b',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('ac12e43a-4480-457f-96d6-21b062dddd53',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('4e8dd936-f9da-4f83-8743-bed41a557759',0,'BY_ID','da12eb62-545d-4f1f-8aaa-239c3cee325b',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('2c4d4d81-10dd-4a89-a3f2-81645d54cea8',0,'da12eb62-545d-4f1f-8aaa-239c3cee325b','table','1@7',0,8,1795868820813);
INSERT INTO "icemelt_frontiers" VALUES('4e8dd936-f9da-4f83-8743-bed41a557759',0,'da12eb62-545d-4f1f-8aaa-239c3cee325b','table','1@11',0,12,1795868821249);
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
INSERT INTO "icemelt_lake" VALUES(1,'78111cdd-d409-4e2a-8ecf-5a0efd315450','icemelt','{lake}/warehouse',15,1795868821356,0);
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
INSERT INTO "icemelt_objects" VALUES('13841224-eac0-47c7-8147-260974673616','database',NULL,'main','main','',NULL,1795868791237,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('b83b51ce-1a97-4b36-a982-b86735810261','schema','13841224-eac0-47c7-8147-260974673616','public','public','',NULL,1795868791237,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('e06c7d04-1620-40b0-a016-fb07615f3745','table','b83b51ce-1a97-4b36-a982-b86735810261','events','events','writer','with a history',1795868807057,NULL,NULL,NULL,NULL,NULL,'main.public','events','6328f602-d52d-4bf9-a8ff-3080acfa613b','{lake}/warehouse/events-e06c7d04-1620-40b0-a016-fb07615f3745/metadata/00002-38582b29-de99-46ed-8c95-93cf2bc61961.metadata.json',3,5069740185575723904);
INSERT INTO "icemelt_objects" VALUES('3f99d1a7-9d0c-47e2-89c7-9dc9dde491d3','schema','13841224-eac0-47c7-8147-260974673616','other','other','writer',NULL,1795868819776,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('da12eb62-545d-4f1f-8aaa-239c3cee325b','table','3f99d1a7-9d0c-47e2-89c7-9dc9dde491d3','empty','empty','writer',NULL,1795868820535,NULL,NULL,NULL,NULL,NULL,'main.other','empty','60b3901e-9517-4b67-989c-f907274a711d','{lake}/warehouse/empty-da12eb62-545d-4f1f-8aaa-239c3cee325b/metadata/00000-ac13aeea-888c-433c-9f25-37808ce2a5b6.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('2c4d4d81-10dd-4a89-a3f2-81645d54cea8','stream','3f99d1a7-9d0c-47e2-89c7-9dc9dde491d3','watched','watched','writer',NULL,1795868820813,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('ac12e43a-4480-457f-96d6-21b062dddd53','view','3f99d1a7-9d0c-47e2-89c7-9dc9dde491d3','shown','shown','writer',NULL,1795868821067,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-ac12e43a-4480-457f-96d6-21b062dddd53/metadata/00000-272f7f51-8497-406e-820d-68915bb452e1.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('85410984-8612-4fd2-acf2-c75ef99da54a','file format','3f99d1a7-9d0c-47e2-89c7-9dc9dde491d3','semicolons','semicolons','writer',NULL,1795868821147,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('2f419b47-5e0f-4bc8-9983-8dc3e41ac123','stage','3f99d1a7-9d0c-47e2-89c7-9dc9dde491d3','landing','landing','writer','where files arrive',1795868821194,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('4e8dd936-f9da-4f83-8743-bed41a557759','stream','3f99d1a7-9d0c-47e2-89c7-9dc9dde491d3','rows','rows','writer',NULL,1795868821249,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('8b329093-f0eb-4e92-84e8-59e96a20cfc1','table','3f99d1a7-9d0c-47e2-89c7-9dc9dde491d3','kept','kept','writer',NULL,1795868821317,NULL,NULL,NULL,NULL,NULL,'main.other','kept','d961f51a-9dcd-4f60-ac23-f6db9af3b1f8','{lake}/warehouse/kept-8b329093-f0eb-4e92-84e8-59e96a20cfc1/metadata/00000-315a4cc4-a1b8-404e-b845-a055dfed08ef.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('81472a6d-bd20-4e90-ae74-f0c7466c4d8a','table','3f99d1a7-9d0c-47e2-89c7-9dc9dde491d3','gone','gone','writer',NULL,1795868821342,1795868821356,'bc059866-66dc-41be-be05-abb3c73c8a57',NULL,NULL,NULL,'main.other','gone','7253d5eb-a1b2-4e63-9df1-71284073366c','{lake}/warehouse/gone-81472a6d-bd20-4e90-ae74-f0c7466c4d8a/metadata/00000-104804c5-4c72-4ff7-8cb9-3c8c9e51aa3f.metadata.json',1,NULL);
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
INSERT INTO "icemelt_sequences" VALUES('e06c7d04-1620-40b0-a016-fb07615f3745',2,1,1795868812508);
INSERT INTO "icemelt_sequences" VALUES('e06c7d04-1620-40b0-a016-fb07615f3745',3,2,1795868819703);
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
INSERT INTO "icemelt_statements" VALUES('b35cd7f6-3cd7-4be0-854c-6e7ee7e21727','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','fd19fe99-5f98-4254-8886-a2fc6571a897','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795868806899,1795868807056,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('532f8828-7e73-482e-8b4d-9524b336e657','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','d077bedf-0721-40b3-b3cc-1779ced27dd5','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795868807089,1795868812507,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('f0cec863-dd48-42a1-a1ac-5a059e3c5c5a','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','b0659a31-f851-438f-ba88-49cad485d46c','writer','DELETE FROM events WHERE id = 1','DELETE',1795868812593,1795868819701,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('f872f9eb-007b-4971-882f-b1d559383c89','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','f80fcd67-7856-4d59-a1dc-f0b78a85b8ad','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795868819757,1795868819774,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('61e1e5d3-e8a6-4bae-af60-5cd129f89fc9','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','e8853f6b-f3ac-4fbb-b895-50646ccba37a','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795868819820,1795868820533,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('a56c3ad3-b5d1-45b1-bff9-006bfac087ab','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','2bc93535-b653-4b41-99e0-eea44be320ed','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795868820553,1795868820730,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('937009cf-f829-4948-be5a-763ff449988d','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','db8ac61c-93d4-4978-85be-10c1f107a23b','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795868820737,1795868820765,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('4ae0e781-bff0-4155-a31a-546b0332fa2b','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','11bb58d7-f38a-46cd-a495-d6a1b71f2537','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795868820774,1795868820812,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('21498e89-abeb-47bf-8526-543b34422813','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','d338eefe-48d7-4349-add7-4e88fc2ac715','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795868820856,1795868821064,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('667e7127-899d-4a8f-9a92-1a0f95dcdd42','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','b88ebe65-4cd7-4f13-baf4-f773f4f24dc7','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795868821105,1795868821147,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('4ca97c5d-be3b-4c75-b43c-d628ea795162','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','40f28afa-8690-4565-abac-6e5b97498df4','writer','CREATE STAGE landing FILE_FORMAT = (FORMAT_NAME = semicolons) COMMENT = ''where files arrive''','CREATE',1795868821165,1795868821193,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('01d1f5ec-efee-4179-b143-fafc820d10cf','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','f3440f0f-4056-4849-b64d-4a3fb346b203','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795868821209,1795868821248,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('97fae20a-96e6-4ff0-8f13-8f0fa2f8f90f','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','5d31e94b-ee71-410b-b631-61aa65ba32f3','writer','CREATE TABLE kept (id INT)','CREATE',1795868821266,1795868821316,'succeeded',13,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('a24779c0-c56b-41f7-a1ac-98b8419c5950','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','6fdaf919-1fcc-4160-bad8-9358b39f1553','writer','CREATE TABLE gone (id INT)','CREATE',1795868821324,1795868821341,'succeeded',14,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('eb059e54-1a41-4768-aa9d-663657f522cd','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','a63887d9-23c3-4911-b4df-f14eb77e5c33','writer','DROP TABLE gone','DROP',1795868821350,1795868821355,'succeeded',15,1,0,NULL,NULL,NULL);
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
INSERT INTO "icemelt_streams" VALUES('2c4d4d81-10dd-4a89-a3f2-81645d54cea8','table','da12eb62-545d-4f1f-8aaa-239c3cee325b','DEFAULT',0,'SNOWFLAKE',0);
INSERT INTO "icemelt_streams" VALUES('4e8dd936-f9da-4f83-8743-bed41a557759','table','da12eb62-545d-4f1f-8aaa-239c3cee325b','DEFAULT',0,'SINGDATA',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('e06c7d04-1620-40b0-a016-fb07615f3745',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('da12eb62-545d-4f1f-8aaa-239c3cee325b',5,6);
INSERT INTO "icemelt_tracking" VALUES('da12eb62-545d-4f1f-8aaa-239c3cee325b',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('8b329093-f0eb-4e92-84e8-59e96a20cfc1',13,NULL);
INSERT INTO "icemelt_tracking" VALUES('81472a6d-bd20-4e90-ae74-f0c7466c4d8a',14,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('fd19fe99-5f98-4254-8886-a2fc6571a897','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',1,1795868807057);
INSERT INTO "icemelt_transactions" VALUES('d077bedf-0721-40b3-b3cc-1779ced27dd5','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',2,1795868812508);
INSERT INTO "icemelt_transactions" VALUES('b0659a31-f851-438f-ba88-49cad485d46c','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',3,1795868819703);
INSERT INTO "icemelt_transactions" VALUES('f80fcd67-7856-4d59-a1dc-f0b78a85b8ad','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',4,1795868819776);
INSERT INTO "icemelt_transactions" VALUES('e8853f6b-f3ac-4fbb-b895-50646ccba37a','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',5,1795868820535);
INSERT INTO "icemelt_transactions" VALUES('2bc93535-b653-4b41-99e0-eea44be320ed','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',6,1795868820731);
INSERT INTO "icemelt_transactions" VALUES('db8ac61c-93d4-4978-85be-10c1f107a23b','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',7,1795868820766);
INSERT INTO "icemelt_transactions" VALUES('11bb58d7-f38a-46cd-a495-d6a1b71f2537','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',8,1795868820813);
INSERT INTO "icemelt_transactions" VALUES('d338eefe-48d7-4349-add7-4e88fc2ac715','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',9,1795868821067);
INSERT INTO "icemelt_transactions" VALUES('b88ebe65-4cd7-4f13-baf4-f773f4f24dc7','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',10,1795868821147);
INSERT INTO "icemelt_transactions" VALUES('40f28afa-8690-4565-abac-6e5b97498df4','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',11,1795868821194);
INSERT INTO "icemelt_transactions" VALUES('f3440f0f-4056-4849-b64d-4a3fb346b203','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',12,1795868821249);
INSERT INTO "icemelt_transactions" VALUES('5d31e94b-ee71-410b-b631-61aa65ba32f3','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',13,1795868821317);
INSERT INTO "icemelt_transactions" VALUES('6fdaf919-1fcc-4160-bad8-9358b39f1553','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',14,1795868821342);
INSERT INTO "icemelt_transactions" VALUES('a63887d9-23c3-4911-b4df-f14eb77e5c33','d1bed1cf-1bdf-4ee4-bb70-5c4234725875','writer',15,1795868821356);
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
INSERT INTO "icemelt_versions" VALUES('e06c7d04-1620-40b0-a016-fb07615f3745',1,1,1795868807057,NULL,'CREATE','[]','writer','b35cd7f6-3cd7-4be0-854c-6e7ee7e21727','fd19fe99-5f98-4254-8886-a2fc6571a897',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-e06c7d04-1620-40b0-a016-fb07615f3745/metadata/00000-4fc9381b-5a95-405e-ab40-2b5393ab1337.metadata.json');
INSERT INTO "icemelt_versions" VALUES('e06c7d04-1620-40b0-a016-fb07615f3745',2,2,1795868812508,2316270360570169568,'INSERT','[[2316270360570169568, 1, "append", 0, 2]]','writer','532f8828-7e73-482e-8b4d-9524b336e657','d077bedf-0721-40b3-b3cc-1779ced27dd5',0,2,640,2,0,0,'{lake}/warehouse/events-e06c7d04-1620-40b0-a016-fb07615f3745/metadata/00001-940122b2-b9c8-461b-bd18-0c7c6689bffc.metadata.json');
INSERT INTO "icemelt_versions" VALUES('e06c7d04-1620-40b0-a016-fb07615f3745',3,3,1795868819703,5069740185575723904,'DELETE','[[5069740185575723904, 2, "delete", 2, 0]]','writer','f0cec863-dd48-42a1-a1ac-5a059e3c5c5a','b0659a31-f851-438f-ba88-49cad485d46c',0,1,682,0,0,1,'{lake}/warehouse/events-e06c7d04-1620-40b0-a016-fb07615f3745/metadata/00002-38582b29-de99-46ed-8c95-93cf2bc61961.metadata.json');
INSERT INTO "icemelt_versions" VALUES('da12eb62-545d-4f1f-8aaa-239c3cee325b',1,5,1795868820535,NULL,'CREATE','[]','writer','61e1e5d3-e8a6-4bae-af60-5cd129f89fc9','e8853f6b-f3ac-4fbb-b895-50646ccba37a',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-da12eb62-545d-4f1f-8aaa-239c3cee325b/metadata/00000-ac13aeea-888c-433c-9f25-37808ce2a5b6.metadata.json');
INSERT INTO "icemelt_versions" VALUES('8b329093-f0eb-4e92-84e8-59e96a20cfc1',1,13,1795868821317,NULL,'CREATE','[]','writer','97fae20a-96e6-4ff0-8f13-8f0fa2f8f90f','5d31e94b-ee71-410b-b631-61aa65ba32f3',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-8b329093-f0eb-4e92-84e8-59e96a20cfc1/metadata/00000-315a4cc4-a1b8-404e-b845-a055dfed08ef.metadata.json');
INSERT INTO "icemelt_versions" VALUES('81472a6d-bd20-4e90-ae74-f0c7466c4d8a',1,14,1795868821342,NULL,'CREATE','[]','writer','a24779c0-c56b-41f7-a1ac-98b8419c5950','6fdaf919-1fcc-4160-bad8-9358b39f1553',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-81472a6d-bd20-4e90-ae74-f0c7466c4d8a/metadata/00000-104804c5-4c72-4ff7-8cb9-3c8c9e51aa3f.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('ac12e43a-4480-457f-96d6-21b062dddd53','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
