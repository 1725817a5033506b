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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-e92cb167-380a-4db5-af03-d9e9f07d0832/metadata/00002-807cb048-5361-4f13-b52b-bf1968b7ee95.metadata.json','{lake}/warehouse/events-e92cb167-380a-4db5-af03-d9e9f07d0832/metadata/00001-48124576-64b6-41bf-a5f9-25c7a2d24e99.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-2ef55d1c-9972-4d64-8ff5-e5b729cbebd9/metadata/00000-8c369450-7ca7-4138-97e5-583b91f0bc01.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-d54c4c63-cafb-44ab-99cc-589b26111bd5/metadata/00000-b3e61960-a8f1-492c-b5a2-8a18473325e0.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-1b3da718-993a-47e2-9bb0-94ce0930f668/metadata/00000-bd2c07cd-5584-442d-b947-8b105a038db1.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('b44c412c-4f83-4389-a96a-7e225b0c481d','1b3da718-993a-47e2-9bb0-94ce0930f668','first','writer',1795742037248,1795742037248,1,0,'7');
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
INSERT INTO "icemelt_dependencies" VALUES('09424fa3-305e-4919-abb4-3bbfdd032c55',0,'BY_ID','2ef55d1c-9972-4d64-8ff5-e5b729cbebd9',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('d54c4c63-cafb-44ab-99cc-589b26111bd5',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('853f88e0-0d62-4825-b5ed-b86a08fe8202',0,'BY_ID','2ef55d1c-9972-4d64-8ff5-e5b729cbebd9',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('09424fa3-305e-4919-abb4-3bbfdd032c55',0,'2ef55d1c-9972-4d64-8ff5-e5b729cbebd9','table','1@7',0,8,1795742036847);
INSERT INTO "icemelt_frontiers" VALUES('853f88e0-0d62-4825-b5ed-b86a08fe8202',0,'2ef55d1c-9972-4d64-8ff5-e5b729cbebd9','table','1@9',0,10,1795742037150);
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
INSERT INTO "icemelt_lake" VALUES(1,'a08edd94-700b-4f59-bb47-a4d1a2e5b1fb','icemelt','{lake}/warehouse',13,1795742037246,0);
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
INSERT INTO "icemelt_migrations" VALUES('0008');
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
INSERT INTO "icemelt_objects" VALUES('d4048c9f-0144-490f-a8ed-3ae581d57585','database',NULL,'main','main','',NULL,1795742018369,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('c2079ce5-71e6-4e5c-bb61-68322d627ec4','schema','d4048c9f-0144-490f-a8ed-3ae581d57585','public','public','',NULL,1795742018369,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('e92cb167-380a-4db5-af03-d9e9f07d0832','table','c2079ce5-71e6-4e5c-bb61-68322d627ec4','events','events','writer','with a history',1795742027921,NULL,NULL,NULL,NULL,NULL,'main.public','events','8e7264db-3854-4681-b570-855dd1f6e161','{lake}/warehouse/events-e92cb167-380a-4db5-af03-d9e9f07d0832/metadata/00002-807cb048-5361-4f13-b52b-bf1968b7ee95.metadata.json',3,2414473256905282219);
INSERT INTO "icemelt_objects" VALUES('6f79fc72-9caf-4378-9c24-7a13679aa07c','schema','d4048c9f-0144-490f-a8ed-3ae581d57585','other','other','writer',NULL,1795742036010,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('2ef55d1c-9972-4d64-8ff5-e5b729cbebd9','table','6f79fc72-9caf-4378-9c24-7a13679aa07c','empty','empty','writer',NULL,1795742036673,NULL,NULL,NULL,NULL,NULL,'main.other','empty','6534455d-2c88-4f5b-b465-fd171bc78af6','{lake}/warehouse/empty-2ef55d1c-9972-4d64-8ff5-e5b729cbebd9/metadata/00000-8c369450-7ca7-4138-97e5-583b91f0bc01.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('09424fa3-305e-4919-abb4-3bbfdd032c55','stream','6f79fc72-9caf-4378-9c24-7a13679aa07c','watched','watched','writer',NULL,1795742036847,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('d54c4c63-cafb-44ab-99cc-589b26111bd5','view','6f79fc72-9caf-4378-9c24-7a13679aa07c','shown','shown','writer',NULL,1795742037108,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-d54c4c63-cafb-44ab-99cc-589b26111bd5/metadata/00000-b3e61960-a8f1-492c-b5a2-8a18473325e0.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('853f88e0-0d62-4825-b5ed-b86a08fe8202','stream','6f79fc72-9caf-4378-9c24-7a13679aa07c','rows','rows','writer',NULL,1795742037150,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('1b3da718-993a-47e2-9bb0-94ce0930f668','table','6f79fc72-9caf-4378-9c24-7a13679aa07c','kept','kept','writer',NULL,1795742037212,NULL,NULL,NULL,NULL,NULL,'main.other','kept','f8b1a6f1-044e-49c2-8c96-bb3b82d52826','{lake}/warehouse/kept-1b3da718-993a-47e2-9bb0-94ce0930f668/metadata/00000-bd2c07cd-5584-442d-b947-8b105a038db1.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('911e0ce8-415e-458a-b66e-8ba8f3f2e1a6','table','6f79fc72-9caf-4378-9c24-7a13679aa07c','gone','gone','writer',NULL,1795742037238,1795742037246,'b3339f20-356a-4261-a732-f6d0a843384d',NULL,NULL,NULL,'main.other','gone','074cb9bf-030d-4f15-8ad1-f9bf9b7bc041','{lake}/warehouse/gone-911e0ce8-415e-458a-b66e-8ba8f3f2e1a6/metadata/00000-85ba16ee-a8c5-4b21-9d2b-dfeda787ca40.metadata.json',1,NULL);
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
INSERT INTO "icemelt_sequences" VALUES('e92cb167-380a-4db5-af03-d9e9f07d0832',2,1,1795742031930);
INSERT INTO "icemelt_sequences" VALUES('e92cb167-380a-4db5-af03-d9e9f07d0832',3,2,1795742035977);
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
INSERT INTO "icemelt_statements" VALUES('672d854a-3a9c-41bf-82ba-02447a049bfc','d7e9bb1c-24d6-42ca-8522-da246bf01eef','48ba7868-fd42-4e42-8fd5-c16706d77e5e','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795742027713,1795742027919,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('930b3db1-f5a6-4828-b88a-9303484fd74b','d7e9bb1c-24d6-42ca-8522-da246bf01eef','1a7cd66e-df53-410f-8cd6-bcf6d359d379','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795742027955,1795742031928,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('5de775dd-d633-4be7-bcd9-c93940c45c2f','d7e9bb1c-24d6-42ca-8522-da246bf01eef','a6a8fcae-a706-4694-b183-ab31f39e1ca4','writer','DELETE FROM events WHERE id = 1','DELETE',1795742031969,1795742035977,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('67e7a611-8a81-4d78-b622-7005e10ac960','d7e9bb1c-24d6-42ca-8522-da246bf01eef','77f7c892-102f-4fb3-8862-f7ac9129e70d','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795742036004,1795742036009,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('7bf0d7b0-c544-43b1-a5d4-71fde7c0e38a','d7e9bb1c-24d6-42ca-8522-da246bf01eef','5af0466b-650b-4d80-8aef-32704e839568','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795742036031,1795742036672,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('12288545-e446-4901-8005-2a49a415d04f','d7e9bb1c-24d6-42ca-8522-da246bf01eef','995f1c2f-7e75-4656-919b-329be72e4b76','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795742036694,1795742036774,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('b07372e2-23d4-4d3b-a73a-c95c453c730d','d7e9bb1c-24d6-42ca-8522-da246bf01eef','3f647584-3b75-4f3a-80ff-b7dfa4d07233','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795742036783,1795742036820,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('43eaa65e-b5fe-4500-8e1a-700aeb452e35','d7e9bb1c-24d6-42ca-8522-da246bf01eef','738319e0-30e5-4e7a-9eb9-d3acbcde1b09','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795742036833,1795742036846,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('13602881-c422-4382-be25-9f9a72cb8403','d7e9bb1c-24d6-42ca-8522-da246bf01eef','9ec2a755-417c-43ee-a6dc-453a38f4970a','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795742036860,1795742037105,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('6b25d29c-7a67-4b84-9d7e-cb15bac1cf21','d7e9bb1c-24d6-42ca-8522-da246bf01eef','bd9c6774-c355-4ede-80a0-58ba7a7648a0','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795742037134,1795742037151,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('a29cbe81-6c06-4fa4-abac-d0bfcb86de86','d7e9bb1c-24d6-42ca-8522-da246bf01eef','4d25d7f9-9d10-4428-a531-71643f55893e','writer','CREATE TABLE kept (id INT)','CREATE',1795742037169,1795742037212,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('697c577a-de32-4436-b1fe-eb0d4e833d94','d7e9bb1c-24d6-42ca-8522-da246bf01eef','2227963d-5fd6-4041-8cf2-3b84d9ba8126','writer','CREATE TABLE gone (id INT)','CREATE',1795742037220,1795742037234,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('5b00a9e5-3fa9-4f9e-a385-c1fe3d6a436c','d7e9bb1c-24d6-42ca-8522-da246bf01eef','7c1ee8ae-ea77-4ecc-841a-c4cec7e94ca7','writer','DROP TABLE gone','DROP',1795742037241,1795742037243,'succeeded',13,1,0,NULL,NULL,NULL);
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
INSERT INTO "icemelt_streams" VALUES('09424fa3-305e-4919-abb4-3bbfdd032c55','table','2ef55d1c-9972-4d64-8ff5-e5b729cbebd9','DEFAULT',0,'SNOWFLAKE',0);
INSERT INTO "icemelt_streams" VALUES('853f88e0-0d62-4825-b5ed-b86a08fe8202','table','2ef55d1c-9972-4d64-8ff5-e5b729cbebd9','DEFAULT',0,'SINGDATA',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('e92cb167-380a-4db5-af03-d9e9f07d0832',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('2ef55d1c-9972-4d64-8ff5-e5b729cbebd9',5,6);
INSERT INTO "icemelt_tracking" VALUES('2ef55d1c-9972-4d64-8ff5-e5b729cbebd9',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('1b3da718-993a-47e2-9bb0-94ce0930f668',11,NULL);
INSERT INTO "icemelt_tracking" VALUES('911e0ce8-415e-458a-b66e-8ba8f3f2e1a6',12,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('48ba7868-fd42-4e42-8fd5-c16706d77e5e','d7e9bb1c-24d6-42ca-8522-da246bf01eef','writer',1,1795742027921);
INSERT INTO "icemelt_transactions" VALUES('1a7cd66e-df53-410f-8cd6-bcf6d359d379','d7e9bb1c-24d6-42ca-8522-da246bf01eef','writer',2,1795742031930);
INSERT INTO "icemelt_transactions" VALUES('a6a8fcae-a706-4694-b183-ab31f39e1ca4','d7e9bb1c-24d6-42ca-8522-da246bf01eef','writer',3,1795742035977);
INSERT INTO "icemelt_transactions" VALUES('77f7c892-102f-4fb3-8862-f7ac9129e70d','d7e9bb1c-24d6-42ca-8522-da246bf01eef','writer',4,1795742036010);
INSERT INTO "icemelt_transactions" VALUES('5af0466b-650b-4d80-8aef-32704e839568','d7e9bb1c-24d6-42ca-8522-da246bf01eef','writer',5,1795742036673);
INSERT INTO "icemelt_transactions" VALUES('995f1c2f-7e75-4656-919b-329be72e4b76','d7e9bb1c-24d6-42ca-8522-da246bf01eef','writer',6,1795742036776);
INSERT INTO "icemelt_transactions" VALUES('3f647584-3b75-4f3a-80ff-b7dfa4d07233','d7e9bb1c-24d6-42ca-8522-da246bf01eef','writer',7,1795742036820);
INSERT INTO "icemelt_transactions" VALUES('738319e0-30e5-4e7a-9eb9-d3acbcde1b09','d7e9bb1c-24d6-42ca-8522-da246bf01eef','writer',8,1795742036847);
INSERT INTO "icemelt_transactions" VALUES('9ec2a755-417c-43ee-a6dc-453a38f4970a','d7e9bb1c-24d6-42ca-8522-da246bf01eef','writer',9,1795742037108);
INSERT INTO "icemelt_transactions" VALUES('bd9c6774-c355-4ede-80a0-58ba7a7648a0','d7e9bb1c-24d6-42ca-8522-da246bf01eef','writer',10,1795742037150);
INSERT INTO "icemelt_transactions" VALUES('4d25d7f9-9d10-4428-a531-71643f55893e','d7e9bb1c-24d6-42ca-8522-da246bf01eef','writer',11,1795742037212);
INSERT INTO "icemelt_transactions" VALUES('2227963d-5fd6-4041-8cf2-3b84d9ba8126','d7e9bb1c-24d6-42ca-8522-da246bf01eef','writer',12,1795742037238);
INSERT INTO "icemelt_transactions" VALUES('7c1ee8ae-ea77-4ecc-841a-c4cec7e94ca7','d7e9bb1c-24d6-42ca-8522-da246bf01eef','writer',13,1795742037246);
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
INSERT INTO "icemelt_versions" VALUES('e92cb167-380a-4db5-af03-d9e9f07d0832',1,1,1795742027921,NULL,'CREATE','[]','writer','672d854a-3a9c-41bf-82ba-02447a049bfc','48ba7868-fd42-4e42-8fd5-c16706d77e5e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-e92cb167-380a-4db5-af03-d9e9f07d0832/metadata/00000-1f76c67b-e7af-4e2b-9654-92351a489c0a.metadata.json');
INSERT INTO "icemelt_versions" VALUES('e92cb167-380a-4db5-af03-d9e9f07d0832',2,2,1795742031930,6137854776747175965,'INSERT','[[6137854776747175965, 1, "append", 0, 2]]','writer','930b3db1-f5a6-4828-b88a-9303484fd74b','1a7cd66e-df53-410f-8cd6-bcf6d359d379',0,2,640,2,0,0,'{lake}/warehouse/events-e92cb167-380a-4db5-af03-d9e9f07d0832/metadata/00001-48124576-64b6-41bf-a5f9-25c7a2d24e99.metadata.json');
INSERT INTO "icemelt_versions" VALUES('e92cb167-380a-4db5-af03-d9e9f07d0832',3,3,1795742035977,2414473256905282219,'DELETE','[[2414473256905282219, 2, "delete", 2, 0]]','writer','5de775dd-d633-4be7-bcd9-c93940c45c2f','a6a8fcae-a706-4694-b183-ab31f39e1ca4',0,1,682,0,0,1,'{lake}/warehouse/events-e92cb167-380a-4db5-af03-d9e9f07d0832/metadata/00002-807cb048-5361-4f13-b52b-bf1968b7ee95.metadata.json');
INSERT INTO "icemelt_versions" VALUES('2ef55d1c-9972-4d64-8ff5-e5b729cbebd9',1,5,1795742036673,NULL,'CREATE','[]','writer','7bf0d7b0-c544-43b1-a5d4-71fde7c0e38a','5af0466b-650b-4d80-8aef-32704e839568',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-2ef55d1c-9972-4d64-8ff5-e5b729cbebd9/metadata/00000-8c369450-7ca7-4138-97e5-583b91f0bc01.metadata.json');
INSERT INTO "icemelt_versions" VALUES('1b3da718-993a-47e2-9bb0-94ce0930f668',1,11,1795742037212,NULL,'CREATE','[]','writer','a29cbe81-6c06-4fa4-abac-d0bfcb86de86','4d25d7f9-9d10-4428-a531-71643f55893e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-1b3da718-993a-47e2-9bb0-94ce0930f668/metadata/00000-bd2c07cd-5584-442d-b947-8b105a038db1.metadata.json');
INSERT INTO "icemelt_versions" VALUES('911e0ce8-415e-458a-b66e-8ba8f3f2e1a6',1,12,1795742037238,NULL,'CREATE','[]','writer','697c577a-de32-4436-b1fe-eb0d4e833d94','2227963d-5fd6-4041-8cf2-3b84d9ba8126',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-911e0ce8-415e-458a-b66e-8ba8f3f2e1a6/metadata/00000-85ba16ee-a8c5-4b21-9d2b-dfeda787ca40.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('d54c4c63-cafb-44ab-99cc-589b26111bd5','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
COMMIT;
