CREATE TABLE orders (id INT, customer VARCHAR, amount NUMBER(10, 2), at TIMESTAMP_NTZ, flag BOOLEAN, tags ARRAY(VARCHAR), j VARIANT)
CREATE TABLE items (order_id INT NOT NULL, name VARCHAR(5))
INSERT INTO orders SELECT 1, 'ann', 5.5, '2024-01-01', true, ['a', 'b'], PARSE_JSON('{"a": "x"}') UNION ALL SELECT 2, 'bob', 1, '2024-01-02', false, ['c'], PARSE_JSON('[1]')
INSERT INTO items VALUES (1, 'pen'), (1, 'cup')

SELECT sum(amount), customer FROM orders
SELECT customer, amount FROM orders GROUP BY customer
SELECT customer, count(*) FROM orders GROUP BY customer HAVING amount > 1
SELECT * FROM orders GROUP BY customer
SELECT customer FROM orders WHERE count(*) > 1
SELECT customer FROM orders WHERE row_number() OVER (ORDER BY id) = 1
SELECT sum(count(*)) FROM orders
SELECT max(sum(amount)) FROM orders GROUP BY customer
SELECT customer, sum(amount) FROM orders GROUP BY 3
SELECT customer, sum(amount) FROM orders GROUP BY 2
SELECT customer FROM orders ORDER BY 4
SELECT row_number() FROM orders
SELECT rank() OVER () FROM orders
SELECT lag(amount) FROM orders
SELECT sum(customer) FROM orders
SELECT avg(at) FROM orders
SELECT amount + at FROM orders
SELECT customer + 1 FROM orders
SELECT 'a' + 1
SELECT at - 'x' FROM orders
SELECT at + at FROM orders
SELECT -customer FROM orders
SELECT * FROM orders WHERE customer = 1
SELECT * FROM orders WHERE at > 5
SELECT * FROM orders WHERE id = 'x'
SELECT * FROM orders WHERE id IN ('x', 2)
SELECT * FROM orders WHERE id IN (SELECT id, amount FROM orders)
SELECT * FROM orders WHERE id = (SELECT id FROM orders)
SELECT (SELECT id, amount FROM orders)
SELECT id FROM orders UNION SELECT id, amount FROM orders
SELECT id FROM orders UNION ALL SELECT at FROM orders
SELECT id FROM orders EXCEPT SELECT flag FROM orders
SELECT CASE WHEN id = 1 THEN at ELSE amount END FROM orders
SELECT CASE id WHEN 'a' THEN 1 END FROM orders
SELECT COALESCE(at, amount) FROM orders
SELECT COALESCE(flag, 1) FROM orders
SELECT IFF(amount > 1, 'x', 2) FROM orders
SELECT GREATEST(at, amount) FROM orders
SELECT amount / 0 FROM orders
SELECT 1 % 0
SELECT 9223372036854775807 + 1
SELECT 9223372036854775807 * 2
SELECT CAST(99999999999999999999 AS INT)
SELECT 'abc'::INT
SELECT 'abc'::DATE
SELECT '2024-13-01'::DATE
SELECT '2024-01-01 25:00'::TIMESTAMP
SELECT 'maybe'::BOOLEAN
SELECT 12345.678::NUMBER(5,2)
SELECT at::INT FROM orders
SELECT flag::DATE FROM orders
SELECT id::DATE FROM orders WHERE id = 99999999999
SELECT amount::BINARY FROM orders
SELECT tags::INT FROM orders
SELECT j::INT FROM orders
SELECT tags.a FROM orders
SELECT a.id FROM orders
SELECT orders.nope FROM orders
SELECT nope FROM orders
SELECT Customer_Name FROM orders
SELECT id FROM orders o JOIN orders p ON o.id = p.id
SELECT * FROM orders o JOIN orders p USING (nope)
SELECT * FROM orders o JOIN items ON o.id = items.order_id AND sum(amount) > 1
SELECT o.id FROM orders o LEFT JOIN items i
SELECT * FROM orders o, o
SELECT x.* FROM orders o
SELECT * FROM order
SELECT * FROM public.nope
SELECT * FROM nope.orders
SELECT * FROM main.nope.orders
SELECT substr(customer) FROM orders
SELECT upper() FROM orders
SELECT upper(customer, 1) FROM orders
SELECT round('x')
SELECT round(at) FROM orders
SELECT abs(customer) FROM orders
SELECT sqrt(-1)
SELECT dateadd(day, 'x', at) FROM orders
SELECT dateadd(fortnight, 1, at) FROM orders
SELECT datediff(day, customer, at) FROM orders
SELECT date_trunc('decennium', at) FROM orders
SELECT to_date('31/12/2024')
SELECT to_date('31/12/2024', 'MM/DD/YYYY')
SELECT to_timestamp('x')
SELECT to_number('1,000')
SELECT to_number('abc', '999')
SELECT parse_json('{a:1}')
SELECT object_construct('a') FROM orders
SELECT listagg(customer) WITHIN GROUP (ORDER BY nope) FROM orders
SELECT count(DISTINCT) FROM orders
SELECT count() FROM orders
SELECT sum(DISTINCT amount) OVER (ORDER BY id) FROM orders
SELECT sum(amount) OVER (PARTITION BY nope) FROM orders
SELECT sum(amount) OVER w FROM orders
SELECT sum(amount) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING) FROM orders
SELECT ntile(0) OVER (ORDER BY id) FROM orders
SELECT regexp_replace(customer, '(', 'x') FROM orders
SELECT customer BETWEEN 1 AND 'z' FROM orders
SELECT amount BETWEEN 'a' AND 'b' FROM orders
SELECT * FROM TABLE(FLATTEN(tags)) FROM orders
SELECT id, id FROM orders LIMIT -1
SELECT id FROM orders LIMIT 'a'
SELECT id FROM orders LIMIT id
SELECT DISTINCT customer FROM orders ORDER BY amount
SELECT id FROM orders UNION SELECT id FROM items ORDER BY amount
SELECT * FROM orders WHERE EXISTS (SELECT nope FROM items)
SELECT * FROM orders WHERE id = ANY (1, 2)
INSERT INTO orders VALUES (1)
INSERT INTO orders (id) VALUES (1, 2)
INSERT INTO orders (id, nope) VALUES (1, 2)
INSERT INTO orders (id, id) VALUES (1, 2)
INSERT INTO orders (id) VALUES ('abc')
INSERT INTO orders (id, at) VALUES (1, 'abc')
INSERT INTO orders (at) SELECT amount FROM orders
INSERT INTO orders (flag) VALUES ('maybe')
INSERT INTO orders (tags) VALUES ('a')
INSERT INTO orders (amount) VALUES (1e30)
INSERT INTO orders SELECT * FROM items
INSERT INTO items (name) VALUES ('far too long')
INSERT INTO items (order_id) VALUES (NULL)
INSERT INTO orders (id) SELECT customer FROM orders
INSERT INTO items (order_id, name) SELECT customer, amount FROM orders
UPDATE orders SET nope = 1
UPDATE orders SET id = 'x'
UPDATE orders SET at = 5
UPDATE orders SET amount = amount / 0
UPDATE orders SET amount = sum(amount)
UPDATE orders SET amount = (SELECT amount FROM orders)
UPDATE items SET order_id = NULL
UPDATE orders SET id = 1, id = 2
UPDATE orders o SET p.id = 1
DELETE FROM orders WHERE nope = 1
DELETE FROM orders WHERE sum(amount) > 1
DELETE orders
DELETE FROM orders WHERE id = 'x'
MERGE INTO orders t USING items s ON t.id = s.nope WHEN MATCHED THEN DELETE
MERGE INTO orders t USING items s ON t.id = s.order_id WHEN MATCHED THEN UPDATE SET id = s.name
MERGE INTO orders t USING items s ON t.at WHEN MATCHED THEN DELETE
MERGE INTO orders USING items ON id = order_id WHEN NOT MATCHED THEN INSERT VALUES (1)
CREATE TABLE x (id INT, id INT)
CREATE TABLE x (id INTEGR)
CREATE TABLE x AS SELECT 1 AS a, 2 AS a
CREATE TABLE x (a INT DEFAULT 'x')
CREATE TABLE x (a VARCHAR(3) DEFAULT 'long text')
CREATE VIEW v AS SELECT nope FROM orders
CREATE VIEW v (a, b) AS SELECT 1 AS a
ALTER TABLE orders ADD COLUMN id INT
ALTER TABLE orders DROP COLUMN nope
ALTER TABLE orders ADD COLUMN z INT NOT NULL
ALTER TABLE orders ALTER COLUMN customer TYPE INT
ALTER TABLE orders RENAME COLUMN nope TO a
WITH a AS (SELECT 1) SELECT * FROM b
WITH a AS (SELECT 1 AS x) SELECT y FROM a
WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM a) SELECT * FROM a
SELECT * FROM VALUES (1, 'a'), ('x', 2)
SELECT * FROM VALUES (1), (1, 2)
SELECT $3 FROM VALUES (1)
SELECT * FROM orders PIVOT (sum(amount) FOR customer IN ('a')) PIVOT (x)
SELECT * FROM orders SAMPLE (200)
SELECT seq4() FROM orders
SELECT tags || 'a' FROM orders
SELECT tags = 1 FROM orders
SELECT j = tags FROM orders
SELECT decode(1)
SELECT year('x')
SELECT last_day('x')
SELECT uniform(1, 10)
SELECT hex_decode_string('zz')
SELECT base64_decode_string('???')
SELECT chr(-1)
SELECT repeat('x', 2000000000)
SELECT to_binary('xyz', 'hex')
SELECT to_char(1, 'xyz')
SELECT width_bucket(1, 5, 5, 3)
SELECT percentile_cont(2) WITHIN GROUP (ORDER BY id) FROM orders
SELECT approx_percentile(id, 'x') FROM orders
SELECT mode(id, 1) FROM orders
SELECT any_value() FROM orders
SELECT min_by(id) FROM orders
SELECT array_agg(id, 2) FROM orders
SELECT object_agg('a', id) FROM orders
SELECT try_cast(id AS DATE) FROM orders
SELECT cast(id AS NOPE) FROM orders
SELECT interval '1 foo'
SELECT extract(foo FROM at) FROM orders
SELECT nullif(1) 
SELECT position('a') FROM orders
SELECT trim(1, 2, 3)
SELECT sha2('a', 333)
SELECT random('x')
SELECT zipf(1)
SELECT md5(1, 2)
SELECT sum(1) FILTER (WHERE nope)  FROM orders
CREATE STREAM st ON TABLE nope
CREATE STREAM st ON VIEW orders
CREATE STREAM st ON orders
SELECT * FROM st_nope
SELECT METADATA$ACTION FROM orders
SELECT * FROM orders CHANGES (INFORMATION => DEFAULT)
SELECT * FROM orders CHANGES (INFORMATION => ALL) AT (OFFSET => -60)
SELECT * FROM orders AT (OFFSET => 60)
SELECT * FROM orders AT (TIMESTAMP => 'yesterday')
SELECT * FROM orders AT (STATEMENT => 'nope')
SELECT * FROM orders AT (VERSION => 99)
SELECT * FROM orders BEFORE (OFFSET => -999999999)
COPY INTO orders FROM '/nope/nothing'
COPY INTO nope FROM '/tmp'
COPY INTO orders FROM @nostage
COPY INTO orders FROM '/tmp' FILE_FORMAT = (TYPE = CSX)
COPY INTO orders FROM '/tmp' FILE_FORMAT = (TYPE = CSV SKIP_HEDER = 1)
COPY INTO orders FROM '/tmp' ON_ERROR = MAYBE
LIST @nostage
PUT file:///nope/x.csv @~
GET @nostage file:///tmp
CREATE STAGE s1 URL = ''
CREATE TASK t SCHEDULE = 'soon' AS SELECT 1
CREATE TASK t SCHEDULE = '0 MINUTES' AS SELECT 1
CREATE TASK t2 AFTER nope AS SELECT 1
CREATE TASK t3 SCHEDULE = '5 MINUTES' AS SELEC 1
ALTER TASK nope RESUME
EXECUTE TASK nope
DROP TASK nope
DROP TABLE nope
DROP VIEW nope
DROP VIEW orders
DROP TABLE main
DROP SCHEMA nope
DROP STREAM orders
UNDROP TABLE orders
UNDROP TABLE nope
CREATE TABLE orders (id INT)
CREATE TABLE y LIKE nope
CREATE TABLE y CLONE nope
CREATE TABLE y (id INT PRIMARY KEY, PRIMARY KEY (id))
CREATE TABLE y (id INT, PRIMARY KEY (nope))
CREATE TABLE y (id)
CREATE TABLE y ()
CREATE TABLE (id INT)
CREATE TABLE y (id INT) CLUSTER BY (nope)
CREATE TABEL y (id INT)
CREATE VIEW v2 AS DELETE FROM orders
CREATE VIEW v2 AS SELECT * FROM v2
CREATE SCHEMA public
CREATE DATABASE main
USE SCHEMA nope
USE DATABASE nope
DESCRIBE TABLE nope
DESC nope
SHOW TABLE
SHOW TABLES LIKE orders
SHOW COLUMNS IN nope
ALTER TABLE nope ADD COLUMN a INT
ALTER TABLE orders ADD a
ALTER TABLE orders RENAME TO items
ALTER TABLE orders SET nope = 1
ALTER SESSION SET NOPE = 1
ALTER SESSION SET TIMEZONE = 'Mars/Base'
TRUNCATE nope
TRUNCATE TABLE nope
BEGIN BEGIN
SELECT * FORM orders
SELEC 1
SELECT
SELECT 1 +
SELECT (1
SELECT 'abc
SELECT 1; SELECT 2
SELECT id, FROM orders WHERE
SELECT id FROM orders WHERE id = 
SELECT id orders WHERE id = 1
UPDATE orders id = 1
INSERT orders VALUES (1)
INSERT INTO orders
INSERT INTO orders VALUES 1, 2
DELETE FROM orders id = 1
MERGE INTO orders USING items WHEN MATCHED THEN DELETE
MERGE INTO orders t USING items s ON t.id = s.order_id
GRANT SELECT ON orders TO bob
CALL my_proc()
EXPLAIN nope
SELECT * FROM TABLE(nope(1))
SELECT SYSTEM$STREAM_HAS_DATA('nope')
SELECT GET_DDL('TABLE', 'nope')
SELECT GET_DDL('TABEL', 'orders')
SELECT my_function(1)
SELECT date_trnc('day', at) FROM orders
SELECT iff(1, 2) FROM orders
SELECT cast(id, INT) FROM orders
SELECT count(id FROM orders
SELECT id AS FROM orders
SELECT * FROM orders o WHERE orders.id = 1
SELECT a.id FROM orders a JOIN items b ON a.id = c.id
SELECT * FROM (SELECT 1)  WHERE x = 1
SELECT x FROM (SELECT 1 AS x, 2 AS x)
SELECT sum(amount) OVER () + sum(amount) FROM orders
SELECT listagg(customer, amount) FROM orders
SELECT * FROM orders TABLESAMPLE (10 FOO)
SELECT * FROM orders LIMIT 1.5
SELECT * FROM orders UNPIVOT (v FOR k IN (amount, nope))
SELECT * FROM orders UNPIVOT (v FOR k IN (amount, customer))
SELECT * FROM orders PIVOT (sum(nope) FOR customer IN ('a'))
SELECT * FROM orders WHERE id IN ()
SELECT * FROM orders WHERE (id, customer) = (1)
SELECT * FROM orders WHERE (id, customer) IN ((1, 'a', 2))
SELECT amount::NUMBER(50, 2) FROM orders
SELECT amount::NUMBER(5, 7) FROM orders
SELECT at::TIME FROM orders
SELECT * FROM orders ORDER BY nope
SELECT id FROM orders ORDER BY sum(amount)
SELECT * FROM orders WHERE at = 'yesterday'
SELECT * FROM orders WHERE at BETWEEN 'yesterday' AND 'now'
SELECT * FROM orders AT (TIMESTAMP => 'yesterday')
SELECT id = SOME (1, 2) FROM orders
SELECT id FROM orders WHERE id > ALL (SELECT * FROM items)
SELECT COUNT(z.*) FROM orders
SELECT NTH_VALUE(id, amount) OVER (ORDER BY id) FROM orders
SELECT NTH_VALUE(id, 2) FROM MIDDLE OVER (ORDER BY id) FROM orders
SELECT SUM(LAG(amount) OVER (ORDER BY id)) FROM orders
SELECT SUM(DISTINCT amount) OVER (ORDER BY id) FROM orders
SELECT CONDITIONAL_CHANGE_EVENT(id) OVER () FROM orders
SELECT customer, SUM(amount) FROM orders
SELECT *, COUNT(*) FROM orders
SELECT 1 AS a ->> SELECT * FROM $2
SELECT 1 AS a ->> SELECT b FROM $1
SELECT id FROM orders WHERE id = :1
SELECT RANK() OVER w FROM orders WINDOW w AS (ORDER BY id)
EXPLAIN FORMATTED SELECT 1
SHOW FUNCTION
SELECT id FROM orders ORDER BY id IN (SELECT order_id FROM items)
SELECT ARRAY_AGG(customer ORDER BY id) FROM orders
SELECT x.* FROM orders
SELECT id FROM orders HAVING id > 1
