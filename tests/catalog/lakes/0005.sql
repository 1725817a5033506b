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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-e2715f21-95b0-4722-a74b-9428ceed3959/metadata/00002-c760eb7a-3352-48ea-a40b-d11481374dc2.metadata.json','{lake}/warehouse/events-e2715f21-95b0-4722-a74b-9428ceed3959/metadata/00001-de1ec2da-45a1-4063-a716-44374e871a3e.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-93667705-9426-4b74-99ba-b106895fd6f1/metadata/00000-801b50eb-fdd1-472b-baac-ac492b00df80.metadata.json',NULL,'TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','shown','{lake}/warehouse/shown-76550288-3f6c-4ae4-84da-335f9ae47faf/metadata/00000-824f5bf8-6620-4b3a-af7a-803c2abd1fee.metadata.json',NULL,'VIEW');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','kept','{lake}/warehouse/kept-2c0b23cb-33cb-4bd3-a3c4-ec294dbde7d3/metadata/00000-608902d5-7c29-47ad-b179-2946d66992d7.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_channels" VALUES('1434c68c-4b31-4df6-ac9b-5069a938dc59','2c0b23cb-33cb-4bd3-a3c4-ec294dbde7d3','first','writer',1795470124417,1795470124417,1,0,'7');
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
INSERT INTO "icemelt_frontiers" VALUES('a24488b7-4550-43d9-b0a9-d1333817dd0b',0,'93667705-9426-4b74-99ba-b106895fd6f1','table','1@7',0,8,1795470124318);
INSERT INTO "icemelt_frontiers" VALUES('52642900-13c5-466b-8ba8-7bf00c4bd24f',0,'93667705-9426-4b74-99ba-b106895fd6f1','table','1@9',0,10,1795470124376);
CREATE TABLE icemelt_keys (
	key_id VARCHAR(36) NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	created_at BIGINT NOT NULL, 
	revoked_at BIGINT, 
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
INSERT INTO "icemelt_lake" VALUES(1,'d55c9e7b-c4cf-40bc-a379-1f9f2ceea6e4','icemelt','{lake}/warehouse',13,1795470124411);
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
INSERT INTO "icemelt_migrations" VALUES('0005');
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
INSERT INTO "icemelt_objects" VALUES('c4d73db2-cf3a-4b84-94b1-c038b320491c','database',NULL,'main','main','',NULL,1795470116309,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('7518e0cd-2085-4011-a676-cab65d393acd','schema','c4d73db2-cf3a-4b84-94b1-c038b320491c','public','public','',NULL,1795470116309,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('e2715f21-95b0-4722-a74b-9428ceed3959','table','7518e0cd-2085-4011-a676-cab65d393acd','events','events','writer','with a history',1795470120832,NULL,NULL,NULL,NULL,NULL,'main.public','events','38b485a1-2efb-4f66-a5a3-1873c9729a10','{lake}/warehouse/events-e2715f21-95b0-4722-a74b-9428ceed3959/metadata/00002-c760eb7a-3352-48ea-a40b-d11481374dc2.metadata.json',3,8704346290152169371);
INSERT INTO "icemelt_objects" VALUES('b976d1bd-a270-4e2b-ba41-3391ecf7b7e1','schema','c4d73db2-cf3a-4b84-94b1-c038b320491c','other','other','writer',NULL,1795470124108,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('93667705-9426-4b74-99ba-b106895fd6f1','table','b976d1bd-a270-4e2b-ba41-3391ecf7b7e1','empty','empty','writer',NULL,1795470124283,NULL,NULL,NULL,NULL,NULL,'main.other','empty','d8594f62-f8fc-44ef-aab1-f9c11654773a','{lake}/warehouse/empty-93667705-9426-4b74-99ba-b106895fd6f1/metadata/00000-801b50eb-fdd1-472b-baac-ac492b00df80.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('a24488b7-4550-43d9-b0a9-d1333817dd0b','stream','b976d1bd-a270-4e2b-ba41-3391ecf7b7e1','watched','watched','writer',NULL,1795470124318,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('76550288-3f6c-4ae4-84da-335f9ae47faf','view','b976d1bd-a270-4e2b-ba41-3391ecf7b7e1','shown','shown','writer',NULL,1795470124368,NULL,NULL,NULL,NULL,NULL,'main.other','shown',NULL,'{lake}/warehouse/shown-76550288-3f6c-4ae4-84da-335f9ae47faf/metadata/00000-824f5bf8-6620-4b3a-af7a-803c2abd1fee.metadata.json',NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('52642900-13c5-466b-8ba8-7bf00c4bd24f','stream','b976d1bd-a270-4e2b-ba41-3391ecf7b7e1','rows','rows','writer',NULL,1795470124376,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('2c0b23cb-33cb-4bd3-a3c4-ec294dbde7d3','table','b976d1bd-a270-4e2b-ba41-3391ecf7b7e1','kept','kept','writer',NULL,1795470124391,NULL,NULL,NULL,NULL,NULL,'main.other','kept','ef942602-1124-4cca-8468-baab4ad650c6','{lake}/warehouse/kept-2c0b23cb-33cb-4bd3-a3c4-ec294dbde7d3/metadata/00000-608902d5-7c29-47ad-b179-2946d66992d7.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('1c3d8112-f007-4dac-9f56-2777e56e56df','table','b976d1bd-a270-4e2b-ba41-3391ecf7b7e1','gone','gone','writer',NULL,1795470124406,1795470124411,'89f6a106-7ad7-47d6-966a-359b29e6a47c',NULL,NULL,NULL,'main.other','gone','f1b8d7dd-a5f8-401a-887b-f435415aae10','{lake}/warehouse/gone-1c3d8112-f007-4dac-9f56-2777e56e56df/metadata/00000-69c1b2a0-6267-4f4d-b689-05df6730d7d5.metadata.json',1,NULL);
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
CREATE TABLE icemelt_sequences (
	table_id VARCHAR(36) NOT NULL, 
	version BIGINT NOT NULL, 
	last_sequence BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_sequences PRIMARY KEY (table_id, version), 
	CONSTRAINT fk_icemelt_sequences_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_sequences" VALUES('e2715f21-95b0-4722-a74b-9428ceed3959',2,1,1795470123088);
INSERT INTO "icemelt_sequences" VALUES('e2715f21-95b0-4722-a74b-9428ceed3959',3,2,1795470124101);
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
	error_message TEXT, 
	CONSTRAINT pk_icemelt_statements PRIMARY KEY (statement_id)
);
INSERT INTO "icemelt_statements" VALUES('ac709424-35e5-4371-b885-60977fd4f8a3','bbd809f6-6392-4186-8960-28faf6b5e4a7','891a08df-0078-4e3a-b29f-1268efaabaa1','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795470120590,1795470120830,'succeeded',1,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('6d78ca68-b4b1-4097-813e-fac3ee98f62b','bbd809f6-6392-4186-8960-28faf6b5e4a7','cdc6f8b4-508d-419e-874b-006045f02092','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795470120843,1795470123088,'succeeded',2,1,2,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('e11b93fb-9323-4977-8315-ffa626022c30','bbd809f6-6392-4186-8960-28faf6b5e4a7','1fedd3a7-087f-47ac-ae98-8f8cef84c48e','writer','DELETE FROM events WHERE id = 1','DELETE',1795470123094,1795470124100,'succeeded',3,1,1,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('36bb1f3b-e1b5-442c-bcdf-9d3983327f1c','bbd809f6-6392-4186-8960-28faf6b5e4a7','d9f8dbc4-43ad-44aa-abb1-9fc8d00a617c','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795470124106,1795470124108,'succeeded',4,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('9469ae76-856f-4924-957c-a0e9231bb2f8','bbd809f6-6392-4186-8960-28faf6b5e4a7','794022cc-9da1-44e8-891d-102bd4eb4f19','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795470124111,1795470124283,'succeeded',5,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('f8ea21d9-bcf6-47cc-9df1-414a1d5723c7','bbd809f6-6392-4186-8960-28faf6b5e4a7','08aafcf6-b193-4bf3-9e69-c2e9393d9053','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795470124288,1795470124302,'succeeded',6,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('a0e3cd01-95bb-41e7-b4e6-c2ce639c422a','bbd809f6-6392-4186-8960-28faf6b5e4a7','3efbfe6d-a4fa-46e6-891d-0294af965687','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795470124306,1795470124313,'succeeded',7,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('02df7c2a-67e5-447a-9ee7-55e21da0694a','bbd809f6-6392-4186-8960-28faf6b5e4a7','37dbefe9-e9fc-4749-b416-85e02f262841','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795470124315,1795470124318,'succeeded',8,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('c4558835-54b5-4fd7-99a7-b6ce8eeadb07','bbd809f6-6392-4186-8960-28faf6b5e4a7','108a16c3-5946-4ec1-bb08-eb5631681de4','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795470124322,1795470124368,'succeeded',9,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('4fab6826-0162-46c4-94e9-c4920eb8ff7a','bbd809f6-6392-4186-8960-28faf6b5e4a7','80c194a7-626c-49e3-8106-9e696eb09bda','writer','CREATE TABLE STREAM rows ON TABLE empty WITH PROPERTIES (''TABLE_STREAM_MODE'' = ''STANDARD'')','CREATE',1795470124372,1795470124375,'succeeded',10,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('2d0ec3a6-2843-4928-ba7a-e77e18294db9','bbd809f6-6392-4186-8960-28faf6b5e4a7','97e93d0f-9cea-45ef-b5fb-aa30b81db7e9','writer','CREATE TABLE kept (id INT)','CREATE',1795470124378,1795470124391,'succeeded',11,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('6ebec1bd-47e1-4220-a767-730ca728e715','bbd809f6-6392-4186-8960-28faf6b5e4a7','bab6bfe9-60dd-44f9-a141-467fd77eb371','writer','CREATE TABLE gone (id INT)','CREATE',1795470124394,1795470124405,'succeeded',12,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('1765c9bb-3d5c-432a-a2bd-1e4f5ac9fdc6','bbd809f6-6392-4186-8960-28faf6b5e4a7','4e094e4c-a322-43ba-bb81-9fc59f8447ee','writer','DROP TABLE gone','DROP',1795470124410,1795470124410,'succeeded',13,1,0,NULL,NULL);
CREATE TABLE icemelt_streams (
	stream_id VARCHAR(36) NOT NULL, 
	source_kind VARCHAR(16) NOT NULL, 
	source_id VARCHAR(36) NOT NULL, 
	mode VARCHAR(16) NOT NULL, 
	move BIGINT NOT NULL, 
	token BIGINT NOT NULL, dialect VARCHAR(16) DEFAULT 'SNOWFLAKE' NOT NULL, 
	CONSTRAINT pk_icemelt_streams PRIMARY KEY (stream_id), 
	CONSTRAINT fk_icemelt_streams_stream_id FOREIGN KEY(stream_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT fk_icemelt_streams_source_id FOREIGN KEY(source_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_streams" VALUES('a24488b7-4550-43d9-b0a9-d1333817dd0b','table','93667705-9426-4b74-99ba-b106895fd6f1','DEFAULT',0,0,'SNOWFLAKE');
INSERT INTO "icemelt_streams" VALUES('52642900-13c5-466b-8ba8-7bf00c4bd24f','table','93667705-9426-4b74-99ba-b106895fd6f1','DEFAULT',0,0,'SINGDATA');
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('e2715f21-95b0-4722-a74b-9428ceed3959',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('93667705-9426-4b74-99ba-b106895fd6f1',5,6);
INSERT INTO "icemelt_tracking" VALUES('93667705-9426-4b74-99ba-b106895fd6f1',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('2c0b23cb-33cb-4bd3-a3c4-ec294dbde7d3',11,NULL);
INSERT INTO "icemelt_tracking" VALUES('1c3d8112-f007-4dac-9f56-2777e56e56df',12,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('891a08df-0078-4e3a-b29f-1268efaabaa1','bbd809f6-6392-4186-8960-28faf6b5e4a7','writer',1,1795470120832);
INSERT INTO "icemelt_transactions" VALUES('cdc6f8b4-508d-419e-874b-006045f02092','bbd809f6-6392-4186-8960-28faf6b5e4a7','writer',2,1795470123088);
INSERT INTO "icemelt_transactions" VALUES('1fedd3a7-087f-47ac-ae98-8f8cef84c48e','bbd809f6-6392-4186-8960-28faf6b5e4a7','writer',3,1795470124101);
INSERT INTO "icemelt_transactions" VALUES('d9f8dbc4-43ad-44aa-abb1-9fc8d00a617c','bbd809f6-6392-4186-8960-28faf6b5e4a7','writer',4,1795470124108);
INSERT INTO "icemelt_transactions" VALUES('794022cc-9da1-44e8-891d-102bd4eb4f19','bbd809f6-6392-4186-8960-28faf6b5e4a7','writer',5,1795470124283);
INSERT INTO "icemelt_transactions" VALUES('08aafcf6-b193-4bf3-9e69-c2e9393d9053','bbd809f6-6392-4186-8960-28faf6b5e4a7','writer',6,1795470124303);
INSERT INTO "icemelt_transactions" VALUES('3efbfe6d-a4fa-46e6-891d-0294af965687','bbd809f6-6392-4186-8960-28faf6b5e4a7','writer',7,1795470124314);
INSERT INTO "icemelt_transactions" VALUES('37dbefe9-e9fc-4749-b416-85e02f262841','bbd809f6-6392-4186-8960-28faf6b5e4a7','writer',8,1795470124318);
INSERT INTO "icemelt_transactions" VALUES('108a16c3-5946-4ec1-bb08-eb5631681de4','bbd809f6-6392-4186-8960-28faf6b5e4a7','writer',9,1795470124368);
INSERT INTO "icemelt_transactions" VALUES('80c194a7-626c-49e3-8106-9e696eb09bda','bbd809f6-6392-4186-8960-28faf6b5e4a7','writer',10,1795470124376);
INSERT INTO "icemelt_transactions" VALUES('97e93d0f-9cea-45ef-b5fb-aa30b81db7e9','bbd809f6-6392-4186-8960-28faf6b5e4a7','writer',11,1795470124391);
INSERT INTO "icemelt_transactions" VALUES('bab6bfe9-60dd-44f9-a141-467fd77eb371','bbd809f6-6392-4186-8960-28faf6b5e4a7','writer',12,1795470124406);
INSERT INTO "icemelt_transactions" VALUES('4e094e4c-a322-43ba-bb81-9fc59f8447ee','bbd809f6-6392-4186-8960-28faf6b5e4a7','writer',13,1795470124411);
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
INSERT INTO "icemelt_versions" VALUES('e2715f21-95b0-4722-a74b-9428ceed3959',1,1,1795470120832,NULL,'CREATE','[]','writer','ac709424-35e5-4371-b885-60977fd4f8a3','891a08df-0078-4e3a-b29f-1268efaabaa1',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-e2715f21-95b0-4722-a74b-9428ceed3959/metadata/00000-20e65775-6d42-4985-b2a7-97bf10617101.metadata.json');
INSERT INTO "icemelt_versions" VALUES('e2715f21-95b0-4722-a74b-9428ceed3959',2,2,1795470123088,2434358912120396021,'INSERT','[[2434358912120396021, 1, "append", 0, 2]]','writer','6d78ca68-b4b1-4097-813e-fac3ee98f62b','cdc6f8b4-508d-419e-874b-006045f02092',0,2,640,2,0,0,'{lake}/warehouse/events-e2715f21-95b0-4722-a74b-9428ceed3959/metadata/00001-de1ec2da-45a1-4063-a716-44374e871a3e.metadata.json');
INSERT INTO "icemelt_versions" VALUES('e2715f21-95b0-4722-a74b-9428ceed3959',3,3,1795470124101,8704346290152169371,'DELETE','[[8704346290152169371, 2, "delete", 2, 0]]','writer','e11b93fb-9323-4977-8315-ffa626022c30','1fedd3a7-087f-47ac-ae98-8f8cef84c48e',0,1,682,0,0,1,'{lake}/warehouse/events-e2715f21-95b0-4722-a74b-9428ceed3959/metadata/00002-c760eb7a-3352-48ea-a40b-d11481374dc2.metadata.json');
INSERT INTO "icemelt_versions" VALUES('93667705-9426-4b74-99ba-b106895fd6f1',1,5,1795470124283,NULL,'CREATE','[]','writer','9469ae76-856f-4924-957c-a0e9231bb2f8','794022cc-9da1-44e8-891d-102bd4eb4f19',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-93667705-9426-4b74-99ba-b106895fd6f1/metadata/00000-801b50eb-fdd1-472b-baac-ac492b00df80.metadata.json');
INSERT INTO "icemelt_versions" VALUES('2c0b23cb-33cb-4bd3-a3c4-ec294dbde7d3',1,11,1795470124391,NULL,'CREATE','[]','writer','2d0ec3a6-2843-4928-ba7a-e77e18294db9','97e93d0f-9cea-45ef-b5fb-aa30b81db7e9',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/kept-2c0b23cb-33cb-4bd3-a3c4-ec294dbde7d3/metadata/00000-608902d5-7c29-47ad-b179-2946d66992d7.metadata.json');
INSERT INTO "icemelt_versions" VALUES('1c3d8112-f007-4dac-9f56-2777e56e56df',1,12,1795470124406,NULL,'CREATE','[]','writer','6ebec1bd-47e1-4220-a767-730ca728e715','bab6bfe9-60dd-44f9-a141-467fd77eb371',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-1c3d8112-f007-4dac-9f56-2777e56e56df/metadata/00000-69c1b2a0-6267-4f4d-b689-05df6730d7d5.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	sources JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('76550288-3f6c-4ae4-84da-335f9ae47faf','SELECT * FROM empty','[{"id": 1, "name": "id", "required": false, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','[{"name": ["main", "other", "empty"], "columns": [{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}], "used": ["id", "v"]}]','UTC');
CREATE INDEX ix_icemelt_statements_started_at ON icemelt_statements (started_at);
CREATE INDEX ix_icemelt_transactions_commit_number ON icemelt_transactions (commit_number);
CREATE INDEX ix_icemelt_transactions_committed_at ON icemelt_transactions (committed_at);
CREATE INDEX ix_icemelt_versions_commit ON icemelt_versions (table_id, commit_number);
CREATE INDEX ix_icemelt_versions_time ON icemelt_versions (committed_at);
CREATE UNIQUE INDEX uq_icemelt_objects_live ON icemelt_objects (coalesce(parent_id, ''), folded, coalesce(session_id, '')) WHERE dropped_at IS NULL;
CREATE INDEX ix_icemelt_streams_source_id ON icemelt_streams (source_id);
COMMIT;
