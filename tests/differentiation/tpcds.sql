-- Queries in the shapes of TPC-DS, over the tables of TPC-H: what TPC-DS asks of stores, catalogs and
-- the web is asked of nations, brands and ways to ship. Each names the queries it is like.

-- 1, 30, 81: a total against the average of its group
WITH totals AS (
  SELECT o_custkey AS customer, c_nationkey AS nation, sum(l_extendedprice) AS total
  FROM orders, lineitem, customer
  WHERE l_orderkey = o_orderkey AND o_custkey = c_custkey AND l_returnflag = 'R'
  GROUP BY o_custkey, c_nationkey)
SELECT c_name, one.total
FROM totals one, customer
WHERE one.total > (SELECT avg(total) * 1.1 FROM totals other WHERE other.nation = one.nation)
  AND c_custkey = one.customer;
-- 4, 11, 74: year over year
WITH years AS (
  SELECT c_custkey AS customer, year(o_orderdate) AS y, sum(l_extendedprice - l_discount) AS total
  FROM customer, orders, lineitem
  WHERE c_custkey = o_custkey AND o_orderkey = l_orderkey
  GROUP BY c_custkey, year(o_orderdate))
SELECT first.customer, first.total AS total_of_1994, second.total AS total_of_1995,
  CASE WHEN first.total > 0 THEN second.total / first.total END AS growth
FROM years first, years second
WHERE first.customer = second.customer AND first.y = 1994 AND second.y = 1995
  AND CASE WHEN first.total > 0 THEN second.total / first.total END > 0.2;
-- 5, 77, 80: channels, each with what it sold and what came back, rolled up
WITH sold AS (
  SELECT l_suppkey AS supplier, sum(l_extendedprice) AS sales FROM lineitem
  WHERE l_shipmode = 'AIR' GROUP BY l_suppkey),
returned AS (
  SELECT l_suppkey AS supplier, sum(l_extendedprice) AS returns FROM lineitem
  WHERE l_shipmode = 'AIR' AND l_returnflag = 'R' GROUP BY l_suppkey)
SELECT channel, id, sum(sales) AS sales, sum(returns) AS returns, sum(profit) AS profit
FROM (
  SELECT 'air' AS channel, 'supplier' || sold.supplier AS id, sales,
    coalesce(returns, 0) AS returns, sales - coalesce(returns, 0) AS profit
  FROM sold LEFT JOIN returned ON sold.supplier = returned.supplier
  UNION ALL
  SELECT 'mail', 'nation' || s_nationkey, sum(l_extendedprice),
    sum(CASE WHEN l_returnflag = 'R' THEN l_extendedprice ELSE 0 END),
    sum(CASE WHEN l_returnflag <> 'R' THEN l_extendedprice ELSE 0 END)
  FROM lineitem JOIN supplier ON l_suppkey = s_suppkey
  WHERE l_shipmode = 'MAIL'
  GROUP BY s_nationkey
  UNION ALL
  SELECT 'ship', 'part' || l_partkey, l_extendedprice, 0, l_extendedprice
  FROM lineitem WHERE l_shipmode = 'SHIP') AS channels
GROUP BY ROLLUP (channel, id);
-- 10, 35: customers who bought, and bought by one way or the other
SELECT c_nationkey, c_mktsegment, count(*) AS many, min(c_acctbal) AS least, max(c_acctbal) AS most,
  avg(c_acctbal) AS mean
FROM customer c
WHERE EXISTS (SELECT * FROM orders WHERE o_custkey = c.c_custkey AND o_orderstatus = 'F')
  AND (EXISTS (
      SELECT * FROM orders, lineitem
      WHERE o_custkey = c.c_custkey AND l_orderkey = o_orderkey AND l_shipmode = 'AIR'
        AND l_quantity > 20)
    OR EXISTS (
      SELECT * FROM orders WHERE o_custkey = c.c_custkey AND o_orderpriority = '1-URGENT'))
GROUP BY c_nationkey, c_mktsegment;
-- 12, 20, 98: a part's share of its brand
SELECT p_partkey, p_brand, sum(l_extendedprice) AS revenue,
  sum(l_extendedprice) * 100 / sum(sum(l_extendedprice)) OVER (PARTITION BY p_brand) AS share
FROM lineitem, part
WHERE l_partkey = p_partkey AND l_shipdate BETWEEN '1994-01-01'::date AND '1995-12-31'::date
GROUP BY p_partkey, p_brand;
-- 14, 38, 87: what was sold in all channels, and in one of them alone
SELECT count(*) AS many
FROM (
  (SELECT DISTINCT l_partkey, l_suppkey FROM lineitem WHERE l_shipmode = 'AIR'
    INTERSECT SELECT DISTINCT l_partkey, l_suppkey FROM lineitem WHERE l_shipmode = 'MAIL')
  EXCEPT
  SELECT l_partkey, l_suppkey FROM lineitem WHERE l_returnflag = 'R'
  GROUP BY l_partkey, l_suppkey HAVING count(*) > 1) AS both_ways;
-- 14: groups of each channel that are above the average of all
WITH all_ways AS (
  SELECT p_brand AS brand FROM lineitem, part WHERE l_partkey = p_partkey AND l_shipmode = 'AIR'
  INTERSECT
  SELECT p_brand FROM lineitem, part WHERE l_partkey = p_partkey AND l_shipmode = 'SHIP'),
mean AS (SELECT avg(l_quantity * l_extendedprice) AS of_all FROM lineitem)
SELECT channel, p_brand, sum(sales) AS sales, sum(many) AS many
FROM (
  SELECT 'air' AS channel, p_brand, sum(l_quantity * l_extendedprice) AS sales, count(*) AS many
  FROM lineitem, part
  WHERE l_partkey = p_partkey AND l_shipmode = 'AIR' AND p_brand IN (SELECT brand FROM all_ways)
  GROUP BY p_brand
  HAVING sum(l_quantity * l_extendedprice) > (SELECT of_all FROM mean)
  UNION ALL
  SELECT 'ship', p_brand, sum(l_quantity * l_extendedprice), count(*)
  FROM lineitem, part
  WHERE l_partkey = p_partkey AND l_shipmode = 'SHIP' AND p_brand IN (SELECT brand FROM all_ways)
  GROUP BY p_brand
  HAVING sum(l_quantity * l_extendedprice) > (SELECT of_all FROM mean)) AS q
GROUP BY channel, p_brand;
-- 16, 94, 95: orders of several suppliers, none of which came back
SELECT count(DISTINCT o_orderkey) AS orders, sum(l_extendedprice) AS total, sum(l_tax) AS tax
FROM orders, lineitem one
WHERE one.l_orderkey = o_orderkey AND o_orderdate >= '1994-01-01'::date
  AND EXISTS (
    SELECT * FROM lineitem other
    WHERE one.l_orderkey = other.l_orderkey AND one.l_suppkey <> other.l_suppkey)
  AND NOT EXISTS (
    SELECT * FROM lineitem back
    WHERE one.l_orderkey = back.l_orderkey AND back.l_returnflag = 'R');
-- 18, 22, 27: averages by sets of groups
SELECT p_brand, n_name, p_size, GROUPING(n_name) AS of_all_nations,
  GROUPING_ID(p_brand, n_name, p_size) AS level, avg(l_quantity) AS quantity,
  avg(l_extendedprice) AS price
FROM lineitem, part, supplier, nation
WHERE l_partkey = p_partkey AND l_suppkey = s_suppkey AND s_nationkey = n_nationkey
GROUP BY GROUPING SETS ((p_brand, n_name), (p_brand, p_size), (p_brand), ());
-- 23: what is sold often, to those who buy most
WITH often AS (
  SELECT l_partkey AS part FROM lineitem, orders
  WHERE l_orderkey = o_orderkey GROUP BY l_partkey, year(o_orderdate) HAVING count(*) > 3),
totals AS (
  SELECT o_custkey AS customer, sum(o_totalprice) AS total FROM orders GROUP BY o_custkey),
best AS (SELECT customer FROM totals WHERE total > (SELECT max(total) * 0.5 FROM totals))
SELECT c_name, sum(l_quantity * l_extendedprice) AS sales
FROM lineitem, orders, customer
WHERE l_orderkey = o_orderkey AND o_custkey = c_custkey AND l_partkey IN (SELECT part FROM often)
  AND o_custkey IN (SELECT customer FROM best)
GROUP BY c_name;
-- 28: several counts of different values, of bands side by side
SELECT *
FROM (
    SELECT avg(l_extendedprice) AS low_mean, count(l_extendedprice) AS low_many,
      count(DISTINCT l_extendedprice) AS low_prices, count(DISTINCT l_suppkey) AS low_suppliers
    FROM lineitem WHERE l_quantity BETWEEN 0 AND 10) AS low,
  (
    SELECT avg(l_extendedprice) AS high_mean, sum(DISTINCT l_quantity) AS high_quantities,
      count(DISTINCT CASE WHEN l_returnflag = 'R' THEN l_partkey END) AS high_returned
    FROM lineitem WHERE l_quantity BETWEEN 11 AND 40) AS high;
-- 36, 70, 86: a rank in each level of a hierarchy
SELECT sum(l_tax * l_extendedprice) / sum(l_extendedprice) AS margin, n_name, c_mktsegment,
  GROUPING(n_name) + GROUPING(c_mktsegment) AS level,
  rank() OVER (
    PARTITION BY GROUPING(n_name) + GROUPING(c_mktsegment),
      CASE WHEN GROUPING(c_mktsegment) = 0 THEN n_name END
    ORDER BY sum(l_tax * l_extendedprice) / sum(l_extendedprice)) AS place
FROM lineitem, orders, customer, nation
WHERE l_orderkey = o_orderkey AND o_custkey = c_custkey AND c_nationkey = n_nationkey
GROUP BY ROLLUP (n_name, c_mktsegment);
-- 43, 59, 62: a column for each case
SELECT s_name,
  sum(CASE WHEN dayofweek(l_shipdate) = 0 THEN l_extendedprice END) AS sunday,
  sum(CASE WHEN dayofweek(l_shipdate) = 1 THEN l_extendedprice END) AS monday,
  sum(CASE WHEN l_receiptdate - l_shipdate <= 10 THEN 1 ELSE 0 END) AS within_10_days,
  count_if(l_receiptdate - l_shipdate > 10) AS later
FROM lineitem JOIN supplier ON l_suppkey = s_suppkey
GROUP BY s_name;
-- 44: the best and the worst, side by side
WITH means AS (
  SELECT l_partkey AS part, avg(l_extendedprice) AS mean FROM lineitem GROUP BY l_partkey
  HAVING avg(l_extendedprice) > 0.3 * (SELECT avg(l_extendedprice) FROM lineitem))
SELECT up.place, up.part AS best, down.part AS worst
FROM (SELECT part, rank() OVER (ORDER BY mean DESC) AS place FROM means) AS up
  JOIN (SELECT part, rank() OVER (ORDER BY mean) AS place FROM means) AS down
    ON up.place = down.place
WHERE up.place < 6;
-- 47, 57: months that are far from their year, with those before and after
WITH months AS (
  SELECT p_brand AS brand, year(l_shipdate) AS y, month(l_shipdate) AS m,
    sum(l_extendedprice) AS total,
    avg(sum(l_extendedprice)) OVER (PARTITION BY p_brand, year(l_shipdate)) AS mean,
    rank() OVER (PARTITION BY p_brand ORDER BY year(l_shipdate), month(l_shipdate)) AS place
  FROM lineitem, part
  WHERE l_partkey = p_partkey
  GROUP BY p_brand, year(l_shipdate), month(l_shipdate))
SELECT now.brand, now.y, now.m, now.mean, now.total, earlier.total AS total_before,
  later.total AS total_after
FROM months now, months earlier, months later
WHERE now.brand = earlier.brand AND now.brand = later.brand AND now.place = earlier.place + 1
  AND now.place = later.place - 1 AND abs(now.total - now.mean) > 0.1 * now.mean;
-- 51, 97: two channels' running totals, of days when one or the other sold
WITH air AS (
  SELECT l_partkey AS part, l_shipdate AS day,
    sum(sum(l_extendedprice)) OVER (PARTITION BY l_partkey ORDER BY l_shipdate) AS running
  FROM lineitem WHERE l_shipmode LIKE 'AIR%' GROUP BY l_partkey, l_shipdate),
sea AS (
  SELECT l_partkey AS part, l_shipdate AS day,
    sum(sum(l_extendedprice)) OVER (PARTITION BY l_partkey ORDER BY l_shipdate) AS running
  FROM lineitem WHERE l_shipmode = 'SHIP' GROUP BY l_partkey, l_shipdate)
SELECT coalesce(air.part, sea.part) AS part, coalesce(air.day, sea.day) AS day,
  air.running AS by_air, sea.running AS by_sea,
  max(air.running) OVER (
    PARTITION BY coalesce(air.part, sea.part) ORDER BY coalesce(air.day, sea.day)
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS most_by_air
FROM air FULL JOIN sea ON air.part = sea.part AND air.day = sea.day;
-- 67: the first two of each category, of all levels
SELECT p_brand, p_type, p_partkey, sum(l_extendedprice * l_quantity) AS sales
FROM lineitem, part
WHERE l_partkey = p_partkey
GROUP BY CUBE (p_brand, p_type, p_partkey)
QUALIFY rank() OVER (
  PARTITION BY p_brand ORDER BY sum(l_extendedprice * l_quantity) DESC) <= 2;
-- 78, 84: what was ordered by those who had nothing back, against what they ordered otherwise
WITH kept AS (
  SELECT o_custkey AS customer, l_partkey AS part, sum(l_quantity) AS quantity
  FROM orders JOIN lineitem ON l_orderkey = o_orderkey
    LEFT JOIN (SELECT DISTINCT l_orderkey AS back FROM lineitem WHERE l_returnflag = 'R') AS returned
      ON o_orderkey = back
  WHERE back IS NULL
  GROUP BY o_custkey, l_partkey),
urgent AS (
  SELECT o_custkey AS customer, l_partkey AS part, sum(l_quantity) AS quantity
  FROM orders JOIN lineitem ON l_orderkey = o_orderkey
  WHERE o_orderpriority IN ('1-URGENT', '2-HIGH')
  GROUP BY o_custkey, l_partkey)
SELECT customer, part, kept.quantity, coalesce(urgent.quantity, 0) AS urgent_quantity,
  round(kept.quantity / (coalesce(urgent.quantity, 0) + 1), 2) AS ratio
FROM kept LEFT JOIN urgent USING (customer, part);
