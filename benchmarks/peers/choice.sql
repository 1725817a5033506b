-- filter
SELECT l_orderkey, l_linenumber, l_extendedprice FROM lineitem WHERE l_quantity > 40 AND l_discount < 0.03;
-- expressions
SELECT o_orderkey, o_totalprice * 2 AS doubled, UPPER(o_orderpriority) AS priority FROM orders;
-- group, few
SELECT l_returnflag, l_linestatus, SUM(l_quantity) AS quantity, COUNT(*) AS many FROM lineitem GROUP BY l_returnflag, l_linestatus;
-- group, many
SELECT l_orderkey, SUM(l_extendedprice) AS price, MAX(l_shipdate) AS shipped FROM lineitem GROUP BY l_orderkey;
-- count distinct
SELECT o_custkey, COUNT(DISTINCT o_orderstatus) AS states FROM orders GROUP BY o_custkey;
-- inner join
SELECT o_orderkey, o_orderdate, l_linenumber, l_extendedprice FROM orders JOIN lineitem ON l_orderkey = o_orderkey WHERE l_quantity > 45;
-- left join
SELECT c_custkey, c_name, o_orderkey, o_totalprice FROM customer LEFT JOIN orders ON o_custkey = c_custkey AND o_orderpriority = '1-URGENT';
-- full join
SELECT o_orderkey, o_totalprice, l_orderkey, l_linenumber FROM orders FULL JOIN (SELECT * FROM lineitem WHERE l_shipmode = 'AIR') ON l_orderkey = o_orderkey;
-- star join
SELECT o_orderkey, c_name, n_name, o_totalprice FROM orders JOIN customer ON c_custkey = o_custkey JOIN nation ON n_nationkey = c_nationkey WHERE o_orderdate >= '1997-01-01';
-- join, group by order
SELECT o_orderkey, o_orderdate, SUM(l_extendedprice * (1 - l_discount)) AS revenue FROM orders JOIN lineitem ON l_orderkey = o_orderkey WHERE o_orderdate < '1995-03-15' GROUP BY o_orderkey, o_orderdate;
-- join, group by day
SELECT o_orderdate, SUM(l_extendedprice) AS price FROM orders JOIN lineitem ON l_orderkey = o_orderkey GROUP BY o_orderdate;
-- left join, group
SELECT c_custkey, COUNT(o_orderkey) AS orders FROM customer LEFT JOIN orders ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%' GROUP BY c_custkey;
-- semi join
SELECT o_orderkey, o_orderpriority FROM orders WHERE EXISTS (SELECT 1 FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate);
-- anti join
SELECT o_orderkey, o_totalprice FROM orders WHERE NOT EXISTS (SELECT 1 FROM lineitem WHERE l_orderkey = o_orderkey AND l_returnflag = 'R');
-- correlated
SELECT o_orderkey, o_totalprice, (SELECT MAX(l_extendedprice) FROM lineitem WHERE l_orderkey = o_orderkey) AS dearest FROM orders;
-- distinct
SELECT DISTINCT o_custkey, o_orderpriority FROM orders;
-- window
SELECT o_orderkey, o_custkey, RANK() OVER (PARTITION BY o_custkey ORDER BY o_totalprice DESC) AS place FROM orders;
-- first three
SELECT o_custkey, o_orderkey, o_totalprice FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY o_custkey ORDER BY o_totalprice DESC, o_orderkey) <= 3;
-- intersect
SELECT o_orderkey FROM orders WHERE o_orderstatus = 'F' INTERSECT SELECT l_orderkey FROM lineitem WHERE l_quantity > 20;
-- except
SELECT c_custkey FROM customer EXCEPT SELECT o_custkey FROM orders WHERE o_orderstatus = 'O';
-- rollup
SELECT o_orderstatus, o_orderpriority, SUM(o_totalprice) AS price FROM orders GROUP BY ROLLUP (o_orderstatus, o_orderpriority);
-- union
SELECT o_orderkey AS id, o_totalprice AS price FROM orders UNION ALL SELECT l_orderkey, l_extendedprice FROM lineitem WHERE l_linestatus = 'F'
