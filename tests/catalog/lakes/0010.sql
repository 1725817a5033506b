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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-00bd75d0-2e83-459f-96ad-57f342d91eb0/metadata/00002-263faf74-30d7-4035-8647-d11b3ab217ec.metadata.json','{lake}/warehouse/events-00bd75d0-2e83-459f-96ad-57f342d91eb0/metadata/00001-278fcf15-5515-49ee-80dc-4c80da30f4f0.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-408b3256-4f53-4253-9500-a9252be8a7d8/metadata/00000-14e15950-4841-43d2-9ffe-fa0038018da5.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-0b4a176e-3803-4bb7-b7b6-569823fa1155/metadata/00000-e2ccef97-e67e-4b22-8d5c-b19818857774.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-19461466-0b85-4606-9448-033ab043ae59/metadata/00000-3b419613-ce6f-4ac0-96bb-31fc6a714f41.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('754c5ae5-2780-4e41-8093-0ced3b3b40f0','19461466-0b85-4606-9448-033ab043ae59','first','writer',1795831689979,1795831689979,1,0,'7');
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
INSERT INTO "icemelt_dependencies" VALUES('9ca01646-7878-46ef-93c3-a60cd95fd951',0,'BY_ID','408b3256-4f53-4253-9500-a9252be8a7d8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('0b4a176e-3803-4bb7-b7b6-569823fa1155',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('d906f8c0-9279-44a2-8fb8-f480729b3409',0,'BY_ID','408b3256-4f53-4253-9500-a9252be8a7d8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE icemelt_file_formats (
	format_id VARCHAR(36) NOT NULL, 
	file_type VARCHAR(16) NOT NULL, 
	options JSON NOT NULL, 
	CONSTRAINT pk_icemelt_file_formats PRIMARY KEY (format_id), 
	CONSTRAINT fk_icemelt_file_formats_format_id FOREIGN KEY(format_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_file_formats" VALUES('d041cdb2-ddaa-4787-b548-c78f4e0bc9db','CSV','{"FIELD_DELIMITER": ";", "NULL_IF": "\nnone"}');
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
INSERT INTO "icemelt_frontiers" VALUES('9ca01646-7878-46ef-93c3-a60cd95fd951',0,'408b3256-4f53-4253-9500-a9252be8a7d8','table','1@7',0,8,1795831689614);
INSERT INTO "icemelt_frontiers" VALUES('d906f8c0-9279-44a2-8fb8-f480729b3409',0,'408b3256-4f53-4253-9500-a9252be8a7d8','table','1@10',0,11,1795831689876);
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
INSERT INTO "icemelt_lake" VALUES(1,'ed7f30c6-69fb-4397-9c0e-00234d171b67','icemelt','{lake}/warehouse',14,1795831689968,0);
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
INSERT INTO "icemelt_migrations" VALUES('0010');
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
INSERT INTO "icemelt_objects" VALUES('130a326b-cebc-4091-a832-3df34dd21358','database',NULL,'main','main','',NULL,1795831649338,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('ad3f3ba1-0583-4dd5-a5a8-26d2f35c670d','schema','130a326b-cebc-4091-a832-3df34dd21358','public','public','',NULL,1795831649338,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('00bd75d0-2e83-459f-96ad-57f342d91eb0','table','ad3f3ba1-0583-4dd5-a5a8-26d2f35c670d','events','events','writer','with a history',1795831676817,NULL,NULL,NULL,NULL,NULL,'main.public','events','eaa2103d-4775-4594-b19c-988fa5ae98cd','{lake}/warehouse/events-00bd75d0-2e83-459f-96ad-57f342d91eb0/metadata/00002-263faf74-30d7-4035-8647-d11b3ab217ec.metadata.json',3,3433252722604047425);
INSERT INTO "icemelt_objects" VALUES('1d203a01-1f4f-4545-98bf-09df7e70a6c0','schema','130a326b-cebc-4091-a832-3df34dd21358','other','other','writer',NULL,1795831688724,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('408b3256-4f53-4253-9500-a9252be8a7d8','table','1d203a01-1f4f-4545-98bf-09df7e70a6c0','empty','empty','writer',NULL,1795831689414,NULL,NULL,NULL,NULL,NULL,'main.other','empty','f1e10374-f695-40b5-8e86-7cb3fb29433b','{lake}/warehouse/empty-408b3256-4f53-4253-9500-a9252be8a7d8/metadata/00000-14e15950-4841-43d2-9ffe-fa0038018da5.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('9ca01646-7878-46ef-93c3-a60cd95fd951','stream','1d203a01-1f4f-4545-98bf-09df7e70a6c0','watched','watched','writer',NULL,1795831689614,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('0b4a176e-3803-4bb7-b7b6-569823fa1155','view','1d203a01-1f4f-4545-98bf-09df7e70a6c0','shown','shown','writer',NULL,1795831689810,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-0b4a176e-3803-4bb7-b7b6-569823fa1155/metadata/00000-e2ccef97-e67e-4b22-8d5c-b19818857774.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('d041cdb2-ddaa-4787-b548-c78f4e0bc9db','file format','1d203a01-1f4f-4545-98bf-09df7e70a6c0','semicolons','semicolons','writer',NULL,1795831689848,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('d906f8c0-9279-44a2-8fb8-f480729b3409','stream','1d203a01-1f4f-4545-98bf-09df7e70a6c0','rows','rows','writer',NULL,1795831689876,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('19461466-0b85-4606-9448-033ab043ae59','table','1d203a01-1f4f-4545-98bf-09df7e70a6c0','kept','kept','writer',NULL,1795831689914,NULL,NULL,NULL,NULL,NULL,'main.other','kept','877788b0-da75-494d-9c31-455a862a8a5c','{lake}/warehouse/kept-19461466-0b85-4606-9448-033ab043ae59/metadata/00000-3b419613-ce6f-4ac0-96bb-31fc6a714f41.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('5fbdda8e-66e3-4d58-9d96-c47362389995','table','1d203a01-1f4f-4545-98bf-09df7e70a6c0','gone','gone','writer',NULL,1795831689953,1795831689968,'7755f42d-72c7-4d99-beaa-632e8f49a32c',NULL,NULL,NULL,'main.other','gone','4ce352a4-e130-4b5d-bb7a-1c473fbb899e','{lake}/warehouse/gone-5fbdda8e-66e3-4d58-9d96-c47362389995/metadata/00000-997125f0-bc3b-4971-8159-a4e7a5fc965f.metadata.json',1,NULL);
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
INSERT INTO "icemelt_sequences" VALUES('00bd75d0-2e83-459f-96ad-57f342d91eb0',2,1,1795831684901);
INSERT INTO "icemelt_sequences" VALUES('00bd75d0-2e83-459f-96ad-57f342d91eb0',3,2,1795831688715);
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
INSERT INTO "icemelt_statements" VALUES('3533809c-01bd-40ab-aaf2-595e9689f7e9','e857efa3-8401-481f-8e63-9d9b2982d6b2','9b4b50a4-596c-4d15-bacc-aad1b98f454e','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795831676092,1795831676816,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('74d061f5-ce34-468a-b59e-9261b7b55789','e857efa3-8401-481f-8e63-9d9b2982d6b2','d4d5dbc9-fd5e-458a-be05-892f7513551a','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795831676858,1795831684900,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('fe3356c9-ad41-4a3a-bd42-d24fa08af640','e857efa3-8401-481f-8e63-9d9b2982d6b2','28421250-df51-43a3-9d10-9d1931f2a7ac','writer','DELETE FROM events WHERE id = 1','DELETE',1795831684937,1795831688713,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('98fa0a39-5166-4bb0-a55a-bf3b8cadcd52','e857efa3-8401-481f-8e63-9d9b2982d6b2','b49ec360-942d-4710-8b8d-c729cfc96d68','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795831688718,1795831688723,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('34023099-4f27-4537-ac70-dad29443d4dd','e857efa3-8401-481f-8e63-9d9b2982d6b2','c5db0dc1-f316-46cd-b0bd-0f9f8c55e008','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795831688730,1795831689412,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('061a6380-e2e9-44e9-920a-1cdba0d1b7a2','e857efa3-8401-481f-8e63-9d9b2982d6b2','474548c7-c10d-4081-ab8e-67ea22b2a87d','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795831689446,1795831689507,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('994713d1-bcf0-474b-88e0-3b458b437fb8','e857efa3-8401-481f-8e63-9d9b2982d6b2','f8658e96-9834-4196-929a-476b67b7be2a','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795831689511,1795831689598,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('8150852a-a96e-49dc-9d55-1a7644ee18d2','e857efa3-8401-481f-8e63-9d9b2982d6b2','5c0236db-1976-4ed3-b8d8-2f5c352bad3f','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795831689603,1795831689612,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('8c1aac06-bb16-4f8b-97ba-bc59a355f095','e857efa3-8401-481f-8e63-9d9b2982d6b2','0dcc5705-f543-4c03-9feb-bffe2b41ff12','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795831689622,1795831689809,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('284f1938-7277-432c-96e8-d82289b1bc2c','e857efa3-8401-481f-8e63-9d9b2982d6b2','1be66301-9bde-4e30-8ef0-c19e6c711871','writer','CREATE FILE FORMAT semicolons TYPE = CSV FIELD_DELIMITER = '';'' NULL_IF = ('''', ''none'')','CREATE',1795831689834,1795831689848,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('c680a936-fdb3-464b-a7c3-d4bdf910f79a','e857efa3-8401-481f-8e63-9d9b2982d6b2','4afb2956-7d21-4387-bc81-aa7cd13ba53f','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795831689858,1795831689875,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('96710771-d6f6-40a8-980d-932c27fe698c','e857efa3-8401-481f-8e63-9d9b2982d6b2','99b09d7d-9cfa-4663-97c1-1e57b2e21cba','writer','CREATE TABLE kept (id INT)','CREATE',1795831689886,1795831689913,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('3344ad4d-e644-4771-aa52-f210326a2c2c','e857efa3-8401-481f-8e63-9d9b2982d6b2','69d06d0f-1ddb-4a3b-aec4-065a4c8dbbfd','writer','CREATE TABLE gone (id INT)','CREATE',1795831689931,1795831689953,'succeeded',13,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('aa0de200-03ce-4bf7-86c3-fc3f32483c43','e857efa3-8401-481f-8e63-9d9b2982d6b2','1a8b8864-cb2b-4cf6-a60d-3a290f3561a3','writer','DROP TABLE gone','DROP',1795831689961,1795831689966,'succeeded',14,1,0,NULL,NULL,NULL);
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
INSERT INTO "icemelt_streams" VALUES('9ca01646-7878-46ef-93c3-a60cd95fd951','table','408b3256-4f53-4253-9500-a9252be8a7d8','DEFAULT',0,'SNOWFLAKE',0);
INSERT INTO "icemelt_streams" VALUES('d906f8c0-9279-44a2-8fb8-f480729b3409','table','408b3256-4f53-4253-9500-a9252be8a7d8','DEFAULT',0,'SINGDATA',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('00bd75d0-2e83-459f-96ad-57f342d91eb0',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('408b3256-4f53-4253-9500-a9252be8a7d8',5,6);
INSERT INTO "icemelt_tracking" VALUES('408b3256-4f53-4253-9500-a9252be8a7d8',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('19461466-0b85-4606-9448-033ab043ae59',12,NULL);
INSERT INTO "icemelt_tracking" VALUES('5fbdda8e-66e3-4d58-9d96-c47362389995',13,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('9b4b50a4-596c-4d15-bacc-aad1b98f454e','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',1,1795831676817);
INSERT INTO "icemelt_transactions" VALUES('d4d5dbc9-fd5e-458a-be05-892f7513551a','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',2,1795831684901);
INSERT INTO "icemelt_transactions" VALUES('28421250-df51-43a3-9d10-9d1931f2a7ac','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',3,1795831688715);
INSERT INTO "icemelt_transactions" VALUES('b49ec360-942d-4710-8b8d-c729cfc96d68','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',4,1795831688724);
INSERT INTO "icemelt_transactions" VALUES('c5db0dc1-f316-46cd-b0bd-0f9f8c55e008','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',5,1795831689414);
INSERT INTO "icemelt_transactions" VALUES('474548c7-c10d-4081-ab8e-67ea22b2a87d','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',6,1795831689508);
INSERT INTO "icemelt_transactions" VALUES('f8658e96-9834-4196-929a-476b67b7be2a','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',7,1795831689600);
INSERT INTO "icemelt_transactions" VALUES('5c0236db-1976-4ed3-b8d8-2f5c352bad3f','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',8,1795831689614);
INSERT INTO "icemelt_transactions" VALUES('0dcc5705-f543-4c03-9feb-bffe2b41ff12','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',9,1795831689810);
INSERT INTO "icemelt_transactions" VALUES('1be66301-9bde-4e30-8ef0-c19e6c711871','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',10,1795831689848);
INSERT INTO "icemelt_transactions" VALUES('4afb2956-7d21-4387-bc81-aa7cd13ba53f','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',11,1795831689876);
INSERT INTO "icemelt_transactions" VALUES('99b09d7d-9cfa-4663-97c1-1e57b2e21cba','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',12,1795831689914);
INSERT INTO "icemelt_transactions" VALUES('69d06d0f-1ddb-4a3b-aec4-065a4c8dbbfd','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',13,1795831689953);
INSERT INTO "icemelt_transactions" VALUES('1a8b8864-cb2b-4cf6-a60d-3a290f3561a3','e857efa3-8401-481f-8e63-9d9b2982d6b2','writer',14,1795831689968);
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
INSERT INTO "icemelt_versions" VALUES('00bd75d0-2e83-459f-96ad-57f342d91eb0',1,1,1795831676817,NULL,'CREATE','[]','writer','3533809c-01bd-40ab-aaf2-595e9689f7e9','9b4b50a4-596c-4d15-bacc-aad1b98f454e',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-00bd75d0-2e83-459f-96ad-57f342d91eb0/metadata/00000-1b17bb50-9885-4659-a440-66aa6ed9428d.metadata.json');
INSERT INTO "icemelt_versions" VALUES('00bd75d0-2e83-459f-96ad-57f342d91eb0',2,2,1795831684901,4378782470104635527,'INSERT','[[4378782470104635527, 1, "append", 0, 2]]','writer','74d061f5-ce34-468a-b59e-9261b7b55789','d4d5dbc9-fd5e-458a-be05-892f7513551a',0,2,640,2,0,0,'{lake}/warehouse/events-00bd75d0-2e83-459f-96ad-57f342d91eb0/metadata/00001-278fcf15-5515-49ee-80dc-4c80da30f4f0.metadata.json');
INSERT INTO "icemelt_versions" VALUES('00bd75d0-2e83-459f-96ad-57f342d91eb0',3,3,1795831688715,3433252722604047425,'DELETE','[[3433252722604047425, 2, "delete", 2, 0]]','writer','fe3356c9-ad41-4a3a-bd42-d24fa08af640','28421250-df51-43a3-9d10-9d1931f2a7ac',0,1,682,0,0,1,'{lake}/warehouse/events-00bd75d0-2e83-459f-96ad-57f342d91eb0/metadata/00002-263faf74-30d7-4035-8647-d11b3ab217ec.metadata.json');
INSERT INTO "icemelt_versions" VALUES('408b3256-4f53-4253-9500-a9252be8a7d8',1,5,1795831689414,NULL,'CREATE','[]','writer','34023099-4f27-4537-ac70-dad29443d4dd','c5db0dc1-f316-46cd-b0bd-0f9f8c55e008',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-408b3256-4f53-4253-9500-a9252be8a7d8/metadata/00000-14e15950-4841-43d2-9ffe-fa0038018da5.metadata.json');
INSERT INTO "icemelt_versions" VALUES('19461466-0b85-4606-9448-033ab043ae59',1,12,1795831689914,NULL,'CREATE','[]','writer','96710771-d6f6-40a8-980d-932c27fe698c','99b09d7d-9cfa-4663-97c1-1e57b2e21cba',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-19461466-0b85-4606-9448-033ab043ae59/metadata/00000-3b419613-ce6f-4ac0-96bb-31fc6a714f41.metadata.json');
INSERT INTO "icemelt_versions" VALUES('5fbdda8e-66e3-4d58-9d96-c47362389995',1,13,1795831689953,NULL,'CREATE','[]','writer','3344ad4d-e644-4771-aa52-f210326a2c2c','69d06d0f-1ddb-4a3b-aec4-065a4c8dbbfd',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-5fbdda8e-66e3-4d58-9d96-c47362389995/metadata/00000-997125f0-bc3b-4971-8159-a4e7a5fc965f.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('0b4a176e-3803-4bb7-b7b6-569823fa1155','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
