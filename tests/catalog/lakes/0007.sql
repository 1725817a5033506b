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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-9cf40c61-e4ed-4160-9700-d429a4db21f8/metadata/00002-b7a8295b-2665-4c68-909b-e540d4a85da0.metadata.json','{lake}/warehouse/events-9cf40c61-e4ed-4160-9700-d429a4db21f8/metadata/00001-b624d0d1-b63f-4c46-9040-ba82999461b8.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-7f216799-7811-4756-895d-0dc449491f44/metadata/00000-4138314f-21ae-4cee-a9a3-3bc8875002d3.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-3921795f-10c6-4feb-9bd2-37098b090300/metadata/00000-2a4567b5-0236-434b-90e3-a2e08d44040d.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-960e4dd1-9078-430a-a043-aa4797956eda/metadata/00000-befd62b1-5b00-4512-bde3-9d48274a0dcf.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('0d7b2b00-8375-4506-9663-59dd2126745a','960e4dd1-9078-430a-a043-aa4797956eda','first','writer',1795738974350,1795738974350,1,0,'7');
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
INSERT INTO "icemelt_dependencies" VALUES('2fecafa1-7b94-4f32-bf2e-b659c41f6815',0,'BY_ID','7f216799-7811-4756-895d-0dc449491f44',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('3921795f-10c6-4feb-9bd2-37098b090300',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('801b6c0c-8df1-4f39-b703-ac7a78bf8046',0,'BY_ID','7f216799-7811-4756-895d-0dc449491f44',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('2fecafa1-7b94-4f32-bf2e-b659c41f6815',0,'7f216799-7811-4756-895d-0dc449491f44','table','1@7',0,8,1795738972250);
INSERT INTO "icemelt_frontiers" VALUES('801b6c0c-8df1-4f39-b703-ac7a78bf8046',0,'7f216799-7811-4756-895d-0dc449491f44','table','1@9',0,10,1795738974233);
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
	commit_time BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_lake PRIMARY KEY (id)
);
INSERT INTO "icemelt_lake" VALUES(1,'fae5c54f-fba4-4dd0-86aa-5410be1bee99','icemelt','{lake}/warehouse',13,1795738974345);
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
CREATE TABLE icemelt_locks (
	object_id VARCHAR(36) NOT NULL, 
	transaction_id VARCHAR(36) NOT NULL, 
	token BIGINT NOT NULL, 
	acquired_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_locks PRIMARY KEY (object_id), 
	CONSTRAINT fk_icemelt_locks_object_id FOREIGN KEY(object_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_migrations (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT icemelt_migrations_pkc PRIMARY KEY (version_num)
);
INSERT INTO "icemelt_migrations" VALUES('0007');
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
INSERT INTO "icemelt_objects" VALUES('8cb8f762-4883-4eaf-9507-ac123089546e','database',NULL,'main','main','',NULL,1795738844212,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('a093bb79-fa7c-4023-b4b1-130fbf3ee462','schema','8cb8f762-4883-4eaf-9507-ac123089546e','public','public','',NULL,1795738844212,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('9cf40c61-e4ed-4160-9700-d429a4db21f8','table','a093bb79-fa7c-4023-b4b1-130fbf3ee462','events','events','writer','with a history',1795738910885,NULL,NULL,NULL,NULL,NULL,'main.public','events','9c772c14-af08-4693-9a90-055e09712002','{lake}/warehouse/events-9cf40c61-e4ed-4160-9700-d429a4db21f8/metadata/00002-b7a8295b-2665-4c68-909b-e540d4a85da0.metadata.json',3,954162481033155805);
INSERT INTO "icemelt_objects" VALUES('cd58fd35-e5a0-448f-bd0c-2afcc6221706','schema','8cb8f762-4883-4eaf-9507-ac123089546e','other','other','writer',NULL,1795738970381,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('7f216799-7811-4756-895d-0dc449491f44','table','cd58fd35-e5a0-448f-bd0c-2afcc6221706','empty','empty','writer',NULL,1795738972180,NULL,NULL,NULL,NULL,NULL,'main.other','empty','702afc41-33cb-442a-b7c5-20d108ded5e3','{lake}/warehouse/empty-7f216799-7811-4756-895d-0dc449491f44/metadata/00000-4138314f-21ae-4cee-a9a3-3bc8875002d3.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('2fecafa1-7b94-4f32-bf2e-b659c41f6815','stream','cd58fd35-e5a0-448f-bd0c-2afcc6221706','watched','watched','writer',NULL,1795738972250,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('3921795f-10c6-4feb-9bd2-37098b090300','view','cd58fd35-e5a0-448f-bd0c-2afcc6221706','shown','shown','writer',NULL,1795738973952,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-3921795f-10c6-4feb-9bd2-37098b090300/metadata/00000-2a4567b5-0236-434b-90e3-a2e08d44040d.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('801b6c0c-8df1-4f39-b703-ac7a78bf8046','stream','cd58fd35-e5a0-448f-bd0c-2afcc6221706','rows','rows','writer',NULL,1795738974233,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('960e4dd1-9078-430a-a043-aa4797956eda','table','cd58fd35-e5a0-448f-bd0c-2afcc6221706','kept','kept','writer',NULL,1795738974322,NULL,NULL,NULL,NULL,NULL,'main.other','kept','7962750a-2a4a-4e6e-98a8-55920f802b46','{lake}/warehouse/kept-960e4dd1-9078-430a-a043-aa4797956eda/metadata/00000-befd62b1-5b00-4512-bde3-9d48274a0dcf.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('5f5bab64-98e5-47eb-bedd-1d66e7ff0cda','table','cd58fd35-e5a0-448f-bd0c-2afcc6221706','gone','gone','writer',NULL,1795738974336,1795738974345,'218ab69d-f464-4760-85cd-a961af02274c',NULL,NULL,NULL,'main.other','gone','b592e806-87f7-456f-b616-291b1c4f337f','{lake}/warehouse/gone-5f5bab64-98e5-47eb-bedd-1d66e7ff0cda/metadata/00000-f187d3dc-3e54-4080-b26e-50e432e5edce.metadata.json',1,NULL);
CREATE TABLE icemelt_open_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	name VARCHAR(255), 
	started_at BIGINT NOT NULL, 
	commit_number BIGINT NOT NULL, 
	lapses_at BIGINT NOT NULL, 
	waits_for VARCHAR(36), 
	aborted_by VARCHAR(255), 
	CONSTRAINT pk_icemelt_open_transactions PRIMARY KEY (transaction_id)
);
CREATE TABLE icemelt_reservations (
	table_id VARCHAR(36) NOT NULL, 
	transaction_id VARCHAR(36) NOT NULL, 
	lapses_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_reservations PRIMARY KEY (table_id), 
	CONSTRAINT fk_icemelt_reservations_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
CREATE TABLE icemelt_running (
	statement_id VARCHAR(36) NOT NULL, 
	server_id VARCHAR(36) NOT NULL, 
	key_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	text TEXT NOT NULL, 
	submitted_at BIGINT NOT NULL, 
	started_at BIGINT, 
	lapses_at BIGINT NOT NULL, 
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
INSERT INTO "icemelt_sequences" VALUES('9cf40c61-e4ed-4160-9700-d429a4db21f8',2,1,1795738955152);
INSERT INTO "icemelt_sequences" VALUES('9cf40c61-e4ed-4160-9700-d429a4db21f8',3,2,1795738970320);
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
INSERT INTO "icemelt_statements" VALUES('8a504743-df9d-4d5c-a499-58aacd5c879b','dc65e43a-82d5-4583-b94c-82cdb505b739','165fc305-0b98-49cf-8fd9-35c12dcd2a86','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795738906909,1795738910883,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('2836bf4c-b657-4cf5-8633-d2f6a320e9cc','dc65e43a-82d5-4583-b94c-82cdb505b739','0157c9e8-8ff3-4c96-bc28-722da08f3adb','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795738911320,1795738955150,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('04b684d8-f1c4-46a1-a786-08cf3d61b7c0','dc65e43a-82d5-4583-b94c-82cdb505b739','0decafcf-1651-44b9-a5bb-133977150a53','writer','DELETE FROM events WHERE id = 1','DELETE',1795738955162,1795738970319,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('871d105f-24f2-41ce-abc5-18a8ae586868','dc65e43a-82d5-4583-b94c-82cdb505b739','dad57506-fb58-4f77-ad8d-3da76c98b0fe','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795738970354,1795738970379,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('9a89a323-b308-403f-89ae-536a31d93ce6','dc65e43a-82d5-4583-b94c-82cdb505b739','f361c2d1-1773-4afb-acd7-a428e9ca7e69','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795738970431,1795738972178,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('188deee6-e701-4524-808c-dedbb09d2747','dc65e43a-82d5-4583-b94c-82cdb505b739','2e6a3ac0-cee6-4879-a336-ed8354f48897','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795738972185,1795738972215,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('6c647538-5cda-4862-aac1-beb7710aa5b3','dc65e43a-82d5-4583-b94c-82cdb505b739','d9d147bd-bcea-4fef-8b04-044969563bec','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795738972219,1795738972237,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('2b514fd3-dd4f-429c-bc3d-e877d9a41e8e','dc65e43a-82d5-4583-b94c-82cdb505b739','8672a439-d916-4642-8892-5714b2396f15','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795738972244,1795738972249,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('13db7329-51f4-4c78-994b-9d36a51ff1be','dc65e43a-82d5-4583-b94c-82cdb505b739','1c4211b7-691f-4994-ac85-7336781e83ee','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795738972254,1795738973951,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('b00fd1e5-bd7d-4e0f-8063-182431cf0bb7','dc65e43a-82d5-4583-b94c-82cdb505b739','20e0a2f6-3b55-4b4b-89d1-f526822802c8','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795738974109,1795738974122,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('cf8ad456-4570-4794-ad24-fbcfb8d458f6','dc65e43a-82d5-4583-b94c-82cdb505b739','03f6f4be-2d0f-4826-9364-31afdf658030','writer','CREATE TABLE kept (id INT)','CREATE',1795738974248,1795738974320,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('70ea0743-f485-4de9-b48d-87cd58299345','dc65e43a-82d5-4583-b94c-82cdb505b739','06f1d939-796b-4232-a3dd-06b0880ce5bc','writer','CREATE TABLE gone (id INT)','CREATE',1795738974325,1795738974335,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('7ce38482-0c0c-4a53-862a-eebc72f20143','dc65e43a-82d5-4583-b94c-82cdb505b739','50382b33-647e-4f40-afa0-86d836687296','writer','DROP TABLE gone','DROP',1795738974343,1795738974345,'succeeded',13,1,0,NULL,NULL,NULL);
CREATE TABLE icemelt_streams (
	stream_id VARCHAR(36) NOT NULL, 
	source_kind VARCHAR(16) NOT NULL, 
	source_id VARCHAR(36) NOT NULL, 
	mode VARCHAR(16) NOT NULL, 
	move BIGINT NOT NULL, 
	token BIGINT NOT NULL, dialect VARCHAR(16) DEFAULT 'SNOWFLAKE' NOT NULL, source_version BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_icemelt_streams PRIMARY KEY (stream_id), 
	CONSTRAINT fk_icemelt_streams_stream_id FOREIGN KEY(stream_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT fk_icemelt_streams_source_id FOREIGN KEY(source_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_streams" VALUES('2fecafa1-7b94-4f32-bf2e-b659c41f6815','table','7f216799-7811-4756-895d-0dc449491f44','DEFAULT',0,0,'SNOWFLAKE',0);
INSERT INTO "icemelt_streams" VALUES('801b6c0c-8df1-4f39-b703-ac7a78bf8046','table','7f216799-7811-4756-895d-0dc449491f44','DEFAULT',0,0,'SINGDATA',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('9cf40c61-e4ed-4160-9700-d429a4db21f8',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('7f216799-7811-4756-895d-0dc449491f44',5,6);
INSERT INTO "icemelt_tracking" VALUES('7f216799-7811-4756-895d-0dc449491f44',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('960e4dd1-9078-430a-a043-aa4797956eda',11,NULL);
INSERT INTO "icemelt_tracking" VALUES('5f5bab64-98e5-47eb-bedd-1d66e7ff0cda',12,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('165fc305-0b98-49cf-8fd9-35c12dcd2a86','dc65e43a-82d5-4583-b94c-82cdb505b739','writer',1,1795738910885);
INSERT INTO "icemelt_transactions" VALUES('0157c9e8-8ff3-4c96-bc28-722da08f3adb','dc65e43a-82d5-4583-b94c-82cdb505b739','writer',2,1795738955152);
INSERT INTO "icemelt_transactions" VALUES('0decafcf-1651-44b9-a5bb-133977150a53','dc65e43a-82d5-4583-b94c-82cdb505b739','writer',3,1795738970320);
INSERT INTO "icemelt_transactions" VALUES('dad57506-fb58-4f77-ad8d-3da76c98b0fe','dc65e43a-82d5-4583-b94c-82cdb505b739','writer',4,1795738970381);
INSERT INTO "icemelt_transactions" VALUES('f361c2d1-1773-4afb-acd7-a428e9ca7e69','dc65e43a-82d5-4583-b94c-82cdb505b739','writer',5,1795738972180);
INSERT INTO "icemelt_transactions" VALUES('2e6a3ac0-cee6-4879-a336-ed8354f48897','dc65e43a-82d5-4583-b94c-82cdb505b739','writer',6,1795738972217);
INSERT INTO "icemelt_transactions" VALUES('d9d147bd-bcea-4fef-8b04-044969563bec','dc65e43a-82d5-4583-b94c-82cdb505b739','writer',7,1795738972238);
INSERT INTO "icemelt_transactions" VALUES('8672a439-d916-4642-8892-5714b2396f15','dc65e43a-82d5-4583-b94c-82cdb505b739','writer',8,1795738972250);
INSERT INTO "icemelt_transactions" VALUES('1c4211b7-691f-4994-ac85-7336781e83ee','dc65e43a-82d5-4583-b94c-82cdb505b739','writer',9,1795738973952);
INSERT INTO "icemelt_transactions" VALUES('20e0a2f6-3b55-4b4b-89d1-f526822802c8','dc65e43a-82d5-4583-b94c-82cdb505b739','writer',10,1795738974233);
INSERT INTO "icemelt_transactions" VALUES('03f6f4be-2d0f-4826-9364-31afdf658030','dc65e43a-82d5-4583-b94c-82cdb505b739','writer',11,1795738974322);
INSERT INTO "icemelt_transactions" VALUES('06f1d939-796b-4232-a3dd-06b0880ce5bc','dc65e43a-82d5-4583-b94c-82cdb505b739','writer',12,1795738974336);
INSERT INTO "icemelt_transactions" VALUES('50382b33-647e-4f40-afa0-86d836687296','dc65e43a-82d5-4583-b94c-82cdb505b739','writer',13,1795738974345);
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
INSERT INTO "icemelt_versions" VALUES('9cf40c61-e4ed-4160-9700-d429a4db21f8',1,1,1795738910885,NULL,'CREATE','[]','writer','8a504743-df9d-4d5c-a499-58aacd5c879b','165fc305-0b98-49cf-8fd9-35c12dcd2a86',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-9cf40c61-e4ed-4160-9700-d429a4db21f8/metadata/00000-d136c2f7-6bff-46ff-a335-a062fd5c16ea.metadata.json');
INSERT INTO "icemelt_versions" VALUES('9cf40c61-e4ed-4160-9700-d429a4db21f8',2,2,1795738955152,2551549269888196235,'INSERT','[[2551549269888196235, 1, "append", 0, 2]]','writer','2836bf4c-b657-4cf5-8633-d2f6a320e9cc','0157c9e8-8ff3-4c96-bc28-722da08f3adb',0,2,640,2,0,0,'{lake}/warehouse/events-9cf40c61-e4ed-4160-9700-d429a4db21f8/metadata/00001-b624d0d1-b63f-4c46-9040-ba82999461b8.metadata.json');
INSERT INTO "icemelt_versions" VALUES('9cf40c61-e4ed-4160-9700-d429a4db21f8',3,3,1795738970320,954162481033155805,'DELETE','[[954162481033155805, 2, "delete", 2, 0]]','writer','04b684d8-f1c4-46a1-a786-08cf3d61b7c0','0decafcf-1651-44b9-a5bb-133977150a53',0,1,682,0,0,1,'{lake}/warehouse/events-9cf40c61-e4ed-4160-9700-d429a4db21f8/metadata/00002-b7a8295b-2665-4c68-909b-e540d4a85da0.metadata.json');
INSERT INTO "icemelt_versions" VALUES('7f216799-7811-4756-895d-0dc449491f44',1,5,1795738972180,NULL,'CREATE','[]','writer','9a89a323-b308-403f-89ae-536a31d93ce6','f361c2d1-1773-4afb-acd7-a428e9ca7e69',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-7f216799-7811-4756-895d-0dc449491f44/metadata/00000-4138314f-21ae-4cee-a9a3-3bc8875002d3.metadata.json');
INSERT INTO "icemelt_versions" VALUES('960e4dd1-9078-430a-a043-aa4797956eda',1,11,1795738974322,NULL,'CREATE','[]','writer','cf8ad456-4570-4794-ad24-fbcfb8d458f6','03f6f4be-2d0f-4826-9364-31afdf658030',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-960e4dd1-9078-430a-a043-aa4797956eda/metadata/00000-befd62b1-5b00-4512-bde3-9d48274a0dcf.metadata.json');
INSERT INTO "icemelt_versions" VALUES('5f5bab64-98e5-47eb-bedd-1d66e7ff0cda',1,12,1795738974336,NULL,'CREATE','[]','writer','70ea0743-f485-4de9-b48d-87cd58299345','06f1d939-796b-4232-a3dd-06b0880ce5bc',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-5f5bab64-98e5-47eb-bedd-1d66e7ff0cda/metadata/00000-f187d3dc-3e54-4080-b26e-50e432e5edce.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('3921795f-10c6-4feb-9bd2-37098b090300','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
COMMIT;
