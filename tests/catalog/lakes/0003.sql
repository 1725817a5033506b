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
INSERT INTO "iceberg_tables" VALUES('icemelt','main.public','events','{lake}/warehouse/events-40edcabe-fb7f-40a1-a16b-83cfc8d9b8e2/metadata/00002-d2736081-ec78-4161-8349-42e4be3010a7.metadata.json','{lake}/warehouse/events-40edcabe-fb7f-40a1-a16b-83cfc8d9b8e2/metadata/00001-836ef59d-67e1-4ec3-ba79-da7be5001560.metadata.json','TABLE');
INSERT INTO "iceberg_tables" VALUES('icemelt','main.other','empty','{lake}/warehouse/empty-9c0cc9d5-472d-4556-a0ca-7df754969d1a/metadata/00000-a226f7fd-131a-4f11-b2d1-065955bbbce8.metadata.json',NULL,'TABLE');
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
INSERT INTO "icemelt_frontiers" VALUES('f81da6f4-af04-4b36-98ef-cb2767f879ba',0,'9c0cc9d5-472d-4556-a0ca-7df754969d1a','table','1@7',0,8,1795346278526);
CREATE TABLE icemelt_lake (
	id INTEGER NOT NULL, 
	lake_id VARCHAR(36) NOT NULL, 
	catalog_name VARCHAR(255) NOT NULL, 
	warehouse TEXT NOT NULL, 
	commit_number BIGINT NOT NULL, 
	commit_time BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_lake PRIMARY KEY (id)
);
INSERT INTO "icemelt_lake" VALUES(1,'292af43b-5f6e-41f5-a478-b894bf5d80a2','icemelt','{lake}/warehouse',11,1795346278674);
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
INSERT INTO "icemelt_migrations" VALUES('0003');
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
INSERT INTO "icemelt_objects" VALUES('a371a981-8bd4-4ce2-bd8b-c84fe5568350','database',NULL,'main','main','',NULL,1795346264887,NULL,NULL,NULL,NULL,NULL,'main',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('643c41df-9a68-47a9-a0cb-2069b8318027','schema','a371a981-8bd4-4ce2-bd8b-c84fe5568350','public','public','',NULL,1795346264887,NULL,NULL,NULL,NULL,NULL,'main.public',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('40edcabe-fb7f-40a1-a16b-83cfc8d9b8e2','table','643c41df-9a68-47a9-a0cb-2069b8318027','events','events','writer','with a history',1795346272399,NULL,NULL,NULL,NULL,NULL,'main.public','events','e25c1b06-055b-443b-a930-368a97b471e8','{lake}/warehouse/events-40edcabe-fb7f-40a1-a16b-83cfc8d9b8e2/metadata/00002-d2736081-ec78-4161-8349-42e4be3010a7.metadata.json',3,645389296537077142);
INSERT INTO "icemelt_objects" VALUES('8174cc2e-edfc-4c9e-bad3-5b1392f7f244','schema','a371a981-8bd4-4ce2-bd8b-c84fe5568350','other','other','writer',NULL,1795346277977,NULL,NULL,90,NULL,NULL,'main.other',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('9c0cc9d5-472d-4556-a0ca-7df754969d1a','table','8174cc2e-edfc-4c9e-bad3-5b1392f7f244','empty','empty','writer',NULL,1795346278403,NULL,NULL,NULL,NULL,NULL,'main.other','empty','8640bce5-d918-419a-9806-f95f7d823135','{lake}/warehouse/empty-9c0cc9d5-472d-4556-a0ca-7df754969d1a/metadata/00000-a226f7fd-131a-4f11-b2d1-065955bbbce8.metadata.json',1,NULL);
INSERT INTO "icemelt_objects" VALUES('f81da6f4-af04-4b36-98ef-cb2767f879ba','stream','8174cc2e-edfc-4c9e-bad3-5b1392f7f244','watched','watched','writer',NULL,1795346278526,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('dc25dbd8-377e-4f53-8ad2-b66b5de5e90f','view','8174cc2e-edfc-4c9e-bad3-5b1392f7f244','shown','shown','writer',NULL,1795346278619,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "icemelt_objects" VALUES('dd62ddb1-df36-4c35-9ecd-1bdb64b9a282','table','8174cc2e-edfc-4c9e-bad3-5b1392f7f244','gone','gone','writer',NULL,1795346278663,1795346278674,'e7153380-5237-44a4-94e0-caa02b03f2d5',NULL,NULL,NULL,'main.other','gone','cb2a90ec-9e73-440e-aeeb-ab45f935ae5b','{lake}/warehouse/gone-dd62ddb1-df36-4c35-9ecd-1bdb64b9a282/metadata/00000-5d1e35c4-83f7-4227-a27f-aea98d96700a.metadata.json',1,NULL);
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
INSERT INTO "icemelt_statements" VALUES('e168156b-87b5-4b96-943b-67845a0e4aa9','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','c3ab5ce1-6c77-45c8-82a2-d8e46e4ba1c0','writer','CREATE TABLE events (id INT, v VARCHAR) COMMENT = ''with a history''','CREATE',1795346272002,1795346272398,'succeeded',1,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('89b226ab-4d00-4e6b-970b-5a77d8bb1c7b','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','d9f46d71-fb9a-43d3-97bc-ef2b0a123bbe','writer','INSERT INTO events VALUES (1, ''a''), (2, ''b'')','INSERT',1795346272418,1795346276141,'succeeded',2,1,2,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('e885ed8b-dfa4-4e94-bb6a-6ddb5f02b097','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','77b55493-28b6-4950-b47f-52b859eb7eb2','writer','DELETE FROM events WHERE id = 1','DELETE',1795346276151,1795346277962,'succeeded',3,1,1,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('57718e57-fece-4111-bde3-754cc0b3234c','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','7dcaf5f8-62f3-431f-9374-90e3750dc509','writer','CREATE SCHEMA other DATA_RETENTION_TIME_IN_DAYS = 90','CREATE',1795346277970,1795346277976,'succeeded',4,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('5c625cf8-2ad9-47dd-bf91-00eac19a7217','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','78296ed7-6e73-4f7d-8cbc-e49d15c0fa56','writer','CREATE TABLE empty (id INT NOT NULL, v VARCHAR DEFAULT ''x'', PRIMARY KEY (id) RELY)','CREATE',1795346277984,1795346278401,'succeeded',5,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('5a5f6f6b-3970-48c3-bfef-9497644c0d10','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','c9ae9d98-d0eb-436a-add6-47fdd4920389','writer','ALTER TABLE empty SET CHANGE_TRACKING = FALSE','ALTER',1795346278417,1795346278467,'succeeded',6,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('9a15674d-29fd-4a00-b578-9d8f357b9453','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','8ff38b61-a4bd-48b5-b22a-79da996c2e97','writer','ALTER TABLE empty SET CHANGE_TRACKING = TRUE','ALTER',1795346278479,1795346278508,'succeeded',7,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('6b34eac2-86dd-4887-b2c8-3d9b9d6e34c7','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','7339cb76-1292-45dd-bd4d-329991960de3','writer','CREATE STREAM watched ON TABLE empty','CREATE',1795346278518,1795346278525,'succeeded',8,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('8a1f8531-48b0-4ef2-ab2e-6eb9bece7cde','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','cff7b4a9-9b8c-4933-9074-a8e4f183a4e7','writer','CREATE VIEW shown AS SELECT * FROM empty','CREATE',1795346278536,1795346278617,'succeeded',9,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('abc84f95-a932-4003-b116-03d26bbedddd','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','bea3e8e0-102e-4b6f-baca-f9c851c63c5b','writer','CREATE TABLE gone (id INT)','CREATE',1795346278625,1795346278660,'succeeded',10,1,0,NULL,NULL);
INSERT INTO "icemelt_statements" VALUES('fccc89ba-3001-496b-8db6-8d5b3a0d68ab','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','84b6bd81-86fa-4982-83f6-28f070f87e6e','writer','DROP TABLE gone','DROP',1795346278672,1795346278674,'succeeded',11,1,0,NULL,NULL);
CREATE TABLE icemelt_streams (
	stream_id VARCHAR(36) NOT NULL, 
	source_kind VARCHAR(16) NOT NULL, 
	source_id VARCHAR(36) NOT NULL, 
	mode VARCHAR(16) NOT NULL, 
	move BIGINT NOT NULL, 
	token BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_streams PRIMARY KEY (stream_id), 
	CONSTRAINT fk_icemelt_streams_stream_id FOREIGN KEY(stream_id) REFERENCES icemelt_objects (object_id), 
	CONSTRAINT fk_icemelt_streams_source_id FOREIGN KEY(source_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_streams" VALUES('f81da6f4-af04-4b36-98ef-cb2767f879ba','table','9c0cc9d5-472d-4556-a0ca-7df754969d1a','DEFAULT',0,0);
CREATE TABLE icemelt_tracking (
	table_id VARCHAR(36) NOT NULL, 
	since_commit BIGINT NOT NULL, 
	until_commit BIGINT, 
	CONSTRAINT pk_icemelt_tracking PRIMARY KEY (table_id, since_commit), 
	CONSTRAINT fk_icemelt_tracking_table_id FOREIGN KEY(table_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_tracking" VALUES('40edcabe-fb7f-40a1-a16b-83cfc8d9b8e2',1,NULL);
INSERT INTO "icemelt_tracking" VALUES('9c0cc9d5-472d-4556-a0ca-7df754969d1a',5,6);
INSERT INTO "icemelt_tracking" VALUES('9c0cc9d5-472d-4556-a0ca-7df754969d1a',7,NULL);
INSERT INTO "icemelt_tracking" VALUES('dd62ddb1-df36-4c35-9ecd-1bdb64b9a282',10,NULL);
CREATE TABLE icemelt_transactions (
	transaction_id VARCHAR(36) NOT NULL, 
	session_id VARCHAR(36) NOT NULL, 
	user VARCHAR(255) NOT NULL, 
	commit_number BIGINT NOT NULL, 
	committed_at BIGINT NOT NULL, 
	CONSTRAINT pk_icemelt_transactions PRIMARY KEY (transaction_id)
);
INSERT INTO "icemelt_transactions" VALUES('c3ab5ce1-6c77-45c8-82a2-d8e46e4ba1c0','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','writer',1,1795346272399);
INSERT INTO "icemelt_transactions" VALUES('d9f46d71-fb9a-43d3-97bc-ef2b0a123bbe','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','writer',2,1795346276142);
INSERT INTO "icemelt_transactions" VALUES('77b55493-28b6-4950-b47f-52b859eb7eb2','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','writer',3,1795346277962);
INSERT INTO "icemelt_transactions" VALUES('7dcaf5f8-62f3-431f-9374-90e3750dc509','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','writer',4,1795346277977);
INSERT INTO "icemelt_transactions" VALUES('78296ed7-6e73-4f7d-8cbc-e49d15c0fa56','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','writer',5,1795346278403);
INSERT INTO "icemelt_transactions" VALUES('c9ae9d98-d0eb-436a-add6-47fdd4920389','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','writer',6,1795346278468);
INSERT INTO "icemelt_transactions" VALUES('8ff38b61-a4bd-48b5-b22a-79da996c2e97','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','writer',7,1795346278511);
INSERT INTO "icemelt_transactions" VALUES('7339cb76-1292-45dd-bd4d-329991960de3','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','writer',8,1795346278526);
INSERT INTO "icemelt_transactions" VALUES('cff7b4a9-9b8c-4933-9074-a8e4f183a4e7','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','writer',9,1795346278619);
INSERT INTO "icemelt_transactions" VALUES('bea3e8e0-102e-4b6f-baca-f9c851c63c5b','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','writer',10,1795346278663);
INSERT INTO "icemelt_transactions" VALUES('84b6bd81-86fa-4982-83f6-28f070f87e6e','ab166ec0-0dad-405d-b3e4-cd8e18b74d5c','writer',11,1795346278674);
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
INSERT INTO "icemelt_versions" VALUES('40edcabe-fb7f-40a1-a16b-83cfc8d9b8e2',1,1,1795346272399,NULL,'CREATE','[]','writer','e168156b-87b5-4b96-943b-67845a0e4aa9','c3ab5ce1-6c77-45c8-82a2-d8e46e4ba1c0',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/events-40edcabe-fb7f-40a1-a16b-83cfc8d9b8e2/metadata/00000-91435272-ba01-449b-ad4e-775f04966ab1.metadata.json');
INSERT INTO "icemelt_versions" VALUES('40edcabe-fb7f-40a1-a16b-83cfc8d9b8e2',2,2,1795346276142,4660487110835716567,'INSERT','[[4660487110835716567, 1, "append", 0, 2]]','writer','89b226ab-4d00-4e6b-970b-5a77d8bb1c7b','d9f46d71-fb9a-43d3-97bc-ef2b0a123bbe',0,2,640,2,0,0,'{lake}/warehouse/events-40edcabe-fb7f-40a1-a16b-83cfc8d9b8e2/metadata/00001-836ef59d-67e1-4ec3-ba79-da7be5001560.metadata.json');
INSERT INTO "icemelt_versions" VALUES('40edcabe-fb7f-40a1-a16b-83cfc8d9b8e2',3,3,1795346277962,645389296537077142,'DELETE','[[645389296537077142, 2, "delete", 2, 0]]','writer','e885ed8b-dfa4-4e94-bb6a-6ddb5f02b097','77b55493-28b6-4950-b47f-52b859eb7eb2',0,1,682,0,0,1,'{lake}/warehouse/events-40edcabe-fb7f-40a1-a16b-83cfc8d9b8e2/metadata/00002-d2736081-ec78-4161-8349-42e4be3010a7.metadata.json');
INSERT INTO "icemelt_versions" VALUES('9c0cc9d5-472d-4556-a0ca-7df754969d1a',1,5,1795346278403,NULL,'CREATE','[]','writer','5c625cf8-2ad9-47dd-bf91-00eac19a7217','78296ed7-6e73-4f7d-8cbc-e49d15c0fa56',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/empty-9c0cc9d5-472d-4556-a0ca-7df754969d1a/metadata/00000-a226f7fd-131a-4f11-b2d1-065955bbbce8.metadata.json');
INSERT INTO "icemelt_versions" VALUES('dd62ddb1-df36-4c35-9ecd-1bdb64b9a282',1,10,1795346278663,NULL,'CREATE','[]','writer','abc84f95-a932-4003-b116-03d26bbedddd','bea3e8e0-102e-4b6f-baca-f9c851c63c5b',0,0,0,NULL,NULL,NULL,'{lake}/warehouse/gone-dd62ddb1-df36-4c35-9ecd-1bdb64b9a282/metadata/00000-5d1e35c4-83f7-4227-a27f-aea98d96700a.metadata.json');
CREATE TABLE icemelt_views (
	view_id VARCHAR(36) NOT NULL, 
	"query" TEXT NOT NULL, 
	columns JSON NOT NULL, 
	sources JSON NOT NULL, 
	time_zone VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_icemelt_views PRIMARY KEY (view_id), 
	CONSTRAINT fk_icemelt_views_view_id FOREIGN KEY(view_id) REFERENCES icemelt_objects (object_id)
);
INSERT INTO "icemelt_views" VALUES('dc25dbd8-377e-4f53-8ad2-b66b5de5e90f','SELECT * FROM empty','[{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]','[{"name": ["main", "other", "empty"], "columns": [{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "v", "required": false, "type": "string"}]}]','UTC');
CREATE INDEX ix_icemelt_statements_started_at ON icemelt_statements (started_at);
CREATE INDEX ix_icemelt_transactions_commit_number ON icemelt_transactions (commit_number);
CREATE INDEX ix_icemelt_transactions_committed_at ON icemelt_transactions (committed_at);
CREATE INDEX ix_icemelt_versions_commit ON icemelt_versions (table_id, commit_number);
CREATE INDEX ix_icemelt_versions_time ON icemelt_versions (committed_at);
CREATE UNIQUE INDEX uq_icemelt_objects_live ON icemelt_objects (coalesce(parent_id, ''), folded, coalesce(session_id, '')) WHERE dropped_at IS NULL;
CREATE INDEX ix_icemelt_streams_source_id ON icemelt_streams (source_id);
COMMIT;
