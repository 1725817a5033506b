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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-f23d31f8-18ee-4cc8-9583-363755603ed4/metadata/00002-50971ee6-213c-4a28-bc2e-2c9a94f29ccd.metadata.json','{lake}/warehouse/events-f23d31f8-18ee-4cc8-9583-363755603ed4/metadata/00001-a5e3d1a1-431f-4ae8-a2fd-04b57316c798.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-27a65079-6bd5-45e9-8bf5-dd9ee9258169/metadata/00000-205ad5cd-57c3-49be-88e1-dbc833b70949.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-3c836007-7488-4a50-a472-4cf8706bbf24/metadata/00000-7db4a16d-e52f-4c84-b81b-13dbef0d28fe.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-3f08201c-5e9f-4f55-9103-b158bdc345c0/metadata/00000-7be22927-b741-4197-8790-aed2df6d3ec2.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('847971b3-f939-4343-9bfe-f1fa964b5611','3f08201c-5e9f-4f55-9103-b158bdc345c0','first','writer',1795791245350,1795791245350,1,0,'7');
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
INSERT INTO "icemelt_dependencies" VALUES('4a8328a9-546a-4b08-be83-05146f8889d7',0,'BY_ID','27a65079-6bd5-45e9-8bf5-dd9ee9258169',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_dependencies" VALUES('3c836007-7488-4a50-a472-4cf8706bbf24',0,'BY_NAME',NULL,'main','other','empty','main','other','empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','["id", "v"]');
INSERT INTO "icemelt_dependencies" VALUES('7b8f628d-9ee7-4d2d-a9cc-8e7ae99cbf00',0,'BY_ID','27a65079-6bd5-45e9-8bf5-dd9ee9258169',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "icemelt_frontiers" VALUES('4a8328a9-546a-4b08-be83-05146f8889d7',0,'27a65079-6bd5-45e9-8bf5-dd9ee9258169','table','1@7',0,8,1795791244927);
INSERT INTO "icemelt_frontiers" VALUES('7b8f628d-9ee7-4d2d-a9cc-8e7ae99cbf00',0,'27a65079-6bd5-45e9-8bf5-dd9ee9258169','table','1@9',0,10,1795791245185);
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
INSERT INTO "icemelt_lake" VALUES(1,'6d510435-36ac-47a3-9d96-ac7ab846b0b2','icemelt','{lake}/warehouse',13,1795791245327,0);
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
INSERT INTO "icemelt_migrations" VALUES('0009');
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
INSERT INTO "icemelt_objects" VALUES('4ac02d22-e373-4b96-9278-12d2954fb6b1','database',NULL,'main','main','',NULL,1795791212455,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('ab269c0e-3163-407a-99d0-f1e1b5df7e6f','schema','4ac02d22-e373-4b96-9278-12d2954fb6b1','public','public','',NULL,1795791212455,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('f23d31f8-18ee-4cc8-9583-363755603ed4','table','ab269c0e-3163-407a-99d0-f1e1b5df7e6f','events','events','writer','with a history',1795791232105,NULL,NULL,NULL,NULL,NULL,'main.public','events','57966e46-250a-4767-ac5b-86bb13267c29','{lake}/warehouse/events-f23d31f8-18ee-4cc8-9583-363755603ed4/metadata/00002-50971ee6-213c-4a28-bc2e-2c9a94f29ccd.metadata.json',3,574819396588030230);
INSERT INTO "icemelt_objects" VALUES('b6000c66-9b49-4b47-9ed0-86c991d73c4e','schema','4ac02d22-e373-4b96-9278-12d2954fb6b1','other','other','writer',NULL,1795791244169,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('27a65079-6bd5-45e9-8bf5-dd9ee9258169','table','b6000c66-9b49-4b47-9ed0-86c991d73c4e','empty','empty','writer',NULL,1795791244788,NULL,NULL,NULL,NULL,NULL,'main.other','empty','c879b290-3dc2-4277-bc0b-efeb50b3bc8e','{lake}/warehouse/empty-27a65079-6bd5-45e9-8bf5-dd9ee9258169/metadata/00000-205ad5cd-57c3-49be-88e1-dbc833b70949.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('4a8328a9-546a-4b08-be83-05146f8889d7','stream','b6000c66-9b49-4b47-9ed0-86c991d73c4e','watched','watched','writer',NULL,1795791244927,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('3c836007-7488-4a50-a472-4cf8706bbf24','view','b6000c66-9b49-4b47-9ed0-86c991d73c4e','shown','shown','writer',NULL,1795791245147,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-3c836007-7488-4a50-a472-4cf8706bbf24/metadata/00000-7db4a16d-e52f-4c84-b81b-13dbef0d28fe.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('7b8f628d-9ee7-4d2d-a9cc-8e7ae99cbf00','stream','b6000c66-9b49-4b47-9ed0-86c991d73c4e','rows','rows','writer',NULL,1795791245185,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('3f08201c-5e9f-4f55-9103-b158bdc345c0','table','b6000c66-9b49-4b47-9ed0-86c991d73c4e','kept','kept','writer',NULL,1795791245234,NULL,NULL,NULL,NULL,NULL,'main.other','kept','d351b11e-feec-4766-9882-5f641e96cb63','{lake}/warehouse/kept-3f08201c-5e9f-4f55-9103-b158bdc345c0/metadata/00000-7be22927-b741-4197-8790-aed2df6d3ec2.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('9c82ec53-8acc-4fbe-8159-246495507047','table','b6000c66-9b49-4b47-9ed0-86c991d73c4e','gone','gone','writer',NULL,1795791245293,1795791245327,'a2233761-d208-4210-a15d-ac9bc69e07ee',NULL,NULL,NULL,'main.other','gone','efab3aa9-1335-4081-9c36-4c1c0bfecb2c','{lake}/warehouse/gone-9c82ec53-8acc-4fbe-8159-246495507047/metadata/00000-57613569-8896-4f73-ab4f-439a716dafde.metadata.json',1,NULL);
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
INSERT INTO "icemelt_sequences" VALUES('f23d31f8-18ee-4cc8-9583-363755603ed4',2,1,1795791240254);
INSERT INTO "icemelt_sequences" VALUES('f23d31f8-18ee-4cc8-9583-363755603ed4',3,2,1795791244137);
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
INSERT INTO "icemelt_statements" VALUES('431ed13c-e960-4435-9f29-4c51e1057975','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','3c4687da-aa64-4f3a-a001-10f2d37c3903','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795791231311,1795791232100,'succeeded',1,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('7e4a7212-f5ff-46fc-adb8-95dc573b557e','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','f5814c68-c93c-4c57-93fc-57191eb2d1d1','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795791232139,1795791240251,'succeeded',2,1,2,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('b7765d51-cb3a-46e1-86f8-1e2fe7155f34','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','2b03571e-0afb-473e-a171-9630ec798341','writer','DELETE FROM events WHERE id = 1','DELETE',1795791240276,1795791244136,'succeeded',3,1,1,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('8ff34cf3-ebdf-46c5-a9a4-9007d3ebb65d','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','f6d4227c-cfbf-44f3-950d-df73bf377c22','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795791244146,1795791244169,'succeeded',4,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('a91ade8f-ef14-471d-b401-5f273d95eead','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','2a37ebf4-a8cc-4eb4-82f3-83dcaf45e798','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795791244185,1795791244786,'succeeded',5,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('09cbe291-3686-4233-8414-2c5cc4a6db1d','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','74709c21-e1ff-4464-a15f-b5094942ab6d','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795791244805,1795791244853,'succeeded',6,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('15d1baa6-5ac3-439c-8b00-e11a111d984c','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','5648dac0-60a4-447c-a7ba-1c04cc973148','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795791244863,1795791244892,'succeeded',7,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('b865a620-7e91-4933-98eb-846239a41a09','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','d86aac79-6774-4b2a-bef3-80afff9801c4','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795791244901,1795791244924,'succeeded',8,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('dfc21bbb-f2e2-4288-b5b3-37668b088ce0','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','b289a660-4c86-49bc-b42e-51dbf786509f','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795791244944,1795791245145,'succeeded',9,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('313e01a6-b95c-4ec8-8c15-ba8bfaa4d959','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','a2eba936-db6e-4efe-b17e-92408a0648d3','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795791245163,1795791245184,'succeeded',10,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('a866134a-019e-464a-97dd-79c94989cbaa','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','b7c51387-53b0-47b2-b1f9-4cfe5d49480f','writer','CREATE TABLE kept (id INT)','CREATE',1795791245195,1795791245234,'succeeded',11,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('dda9268b-136a-4193-bd1b-3b7ba9024081','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','13cc7283-9651-4fb2-88a4-7b1bc4ca8516','writer','CREATE TABLE gone (id INT)','CREATE',1795791245253,1795791245290,'succeeded',12,1,0,NULL,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('e19043af-2acf-4a77-bc63-ebb4c32d31e3','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','214c43e2-df08-47a1-a6eb-3e9917a5a121','writer','DROP TABLE gone','DROP',1795791245313,1795791245325,'succeeded',13,1,0,NULL,NULL,NULL);
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
INSERT INTO "icemelt_streams" VALUES('4a8328a9-546a-4b08-be83-05146f8889d7','table','27a65079-6bd5-45e9-8bf5-dd9ee9258169','DEFAULT',0,'SNOWFLAKE',0);
INSERT INTO "icemelt_streams" VALUES('7b8f628d-9ee7-4d2d-a9cc-8e7ae99cbf00','table','27a65079-6bd5-45e9-8bf5-dd9ee9258169','DEFAULT',0,'SINGDATA',0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('f23d31f8-18ee-4cc8-9583-363755603ed4',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('27a65079-6bd5-45e9-8bf5-dd9ee9258169',5,6);
INSERT INTO "icemelt_tracking" VALUES('27a65079-6bd5-45e9-8bf5-dd9ee9258169',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('3f08201c-5e9f-4f55-9103-b158bdc345c0',11,NULL);
INSERT INTO "icemelt_tracking" VALUES('9c82ec53-8acc-4fbe-8159-246495507047',12,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('3c4687da-aa64-4f3a-a001-10f2d37c3903','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','writer',1,1795791232105);
INSERT INTO "icemelt_transactions" VALUES('f5814c68-c93c-4c57-93fc-57191eb2d1d1','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','writer',2,1795791240254);
INSERT INTO "icemelt_transactions" VALUES('2b03571e-0afb-473e-a171-9630ec798341','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','writer',3,1795791244137);
INSERT INTO "icemelt_transactions" VALUES('f6d4227c-cfbf-44f3-950d-df73bf377c22','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','writer',4,1795791244169);
INSERT INTO "icemelt_transactions" VALUES('2a37ebf4-a8cc-4eb4-82f3-83dcaf45e798','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','writer',5,1795791244788);
INSERT INTO "icemelt_transactions" VALUES('74709c21-e1ff-4464-a15f-b5094942ab6d','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','writer',6,1795791244854);
INSERT INTO "icemelt_transactions" VALUES('5648dac0-60a4-447c-a7ba-1c04cc973148','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','writer',7,1795791244893);
INSERT INTO "icemelt_transactions" VALUES('d86aac79-6774-4b2a-bef3-80afff9801c4','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','writer',8,1795791244927);
INSERT INTO "icemelt_transactions" VALUES('b289a660-4c86-49bc-b42e-51dbf786509f','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','writer',9,1795791245147);
INSERT INTO "icemelt_transactions" VALUES('a2eba936-db6e-4efe-b17e-92408a0648d3','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','writer',10,1795791245185);
INSERT INTO "icemelt_transactions" VALUES('b7c51387-53b0-47b2-b1f9-4cfe5d49480f','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','writer',11,1795791245234);
INSERT INTO "icemelt_transactions" VALUES('13cc7283-9651-4fb2-88a4-7b1bc4ca8516','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','writer',12,1795791245293);
INSERT INTO "icemelt_transactions" VALUES('214c43e2-df08-47a1-a6eb-3e9917a5a121','ac1131ca-a00e-41b1-92eb-ad18e5f3db89','writer',13,1795791245327);
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
INSERT INTO "icemelt_versions" VALUES('f23d31f8-18ee-4cc8-9583-363755603ed4',1,1,1795791232105,NULL,'CREATE','[]','writer','431ed13c-e960-4435-9f29-4c51e1057975','3c4687da-aa64-4f3a-a001-10f2d37c3903',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-f23d31f8-18ee-4cc8-9583-363755603ed4/metadata/00000-ad5ccdbb-63f2-46c0-ada6-46fc509c238d.metadata.json');
INSERT INTO "icemelt_versions" VALUES('f23d31f8-18ee-4cc8-9583-363755603ed4',2,2,1795791240254,5389916477597991479,'INSERT','[[5389916477597991479, 1, "append", 0, 2]]','writer','7e4a7212-f5ff-46fc-adb8-95dc573b557e','f5814c68-c93c-4c57-93fc-57191eb2d1d1',0,2,640,2,0,0,'{lake}/warehouse/events-f23d31f8-18ee-4cc8-9583-363755603ed4/metadata/00001-a5e3d1a1-431f-4ae8-a2fd-04b57316c798.metadata.json');
INSERT INTO "icemelt_versions" VALUES('f23d31f8-18ee-4cc8-9583-363755603ed4',3,3,1795791244137,574819396588030230,'DELETE','[[574819396588030230, 2, "delete", 2, 0]]','writer','b7765d51-cb3a-46e1-86f8-1e2fe7155f34','2b03571e-0afb-473e-a171-9630ec798341',0,1,682,0,0,1,'{lake}/warehouse/events-f23d31f8-18ee-4cc8-9583-363755603ed4/metadata/00002-50971ee6-213c-4a28-bc2e-2c9a94f29ccd.metadata.json');
INSERT INTO "icemelt_versions" VALUES('27a65079-6bd5-45e9-8bf5-dd9ee9258169',1,5,1795791244788,NULL,'CREATE','[]','writer','a91ade8f-ef14-471d-b401-5f273d95eead','2a37ebf4-a8cc-4eb4-82f3-83dcaf45e798',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-27a65079-6bd5-45e9-8bf5-dd9ee9258169/metadata/00000-205ad5cd-57c3-49be-88e1-dbc833b70949.metadata.json');
INSERT INTO "icemelt_versions" VALUES('3f08201c-5e9f-4f55-9103-b158bdc345c0',1,11,1795791245234,NULL,'CREATE','[]','writer','a866134a-019e-464a-97dd-79c94989cbaa','b7c51387-53b0-47b2-b1f9-4cfe5d49480f',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-3f08201c-5e9f-4f55-9103-b158bdc345c0/metadata/00000-7be22927-b741-4197-8790-aed2df6d3ec2.metadata.json');
INSERT INTO "icemelt_versions" VALUES('9c82ec53-8acc-4fbe-8159-246495507047',1,12,1795791245293,NULL,'CREATE','[]','writer','dda9268b-136a-4193-bd1b-3b7ba9024081','13cc7283-9651-4fb2-88a4-7b1bc4ca8516',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-9c82ec53-8acc-4fbe-8159-246495507047/metadata/00000-57613569-8896-4f73-ab4f-439a716dafde.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('3c836007-7488-4a50-a472-4cf8706bbf24','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','UTC');
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
