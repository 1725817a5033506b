-- Queries of every operator, over t(id, k, v, s, x), u(id, k, w, s) and a(id, tags, doc), in which
-- k, v, w and s have few values, duplicates and NULLs; x is a double.

-- linear
SELECT id, v + 1 AS next, next * 2 AS twice FROM t WHERE v > 1 AND s <> 'b';
SELECT * FROM t WHERE x = 0 OR x > 1;
SELECT k FROM t;
SELECT DISTINCT k, s FROM t;
SELECT t.*, upper(s) AS loud FROM t WHERE loud = 'A' OR k IS NULL;
SELECT id, CASE WHEN v IS NULL THEN 'none' WHEN v > 2 THEN 'many' ELSE 'few' END AS much FROM t;
SELECT * EXCLUDE (x, id) FROM t;
SELECT * RENAME (k AS key) FROM u WHERE k = 1;
SELECT 1 AS one, id FROM t WHERE NOT (v = 1);
SELECT id FROM t WHERE k IN (1, 2, NULL) OR s LIKE 'a%';
SELECT n, m FROM (VALUES (1, 'a'), (2, 'b'), (NULL, 'c')) AS q(n, m);
SELECT 1 AS a, 'x' AS b;
VALUES (1, 'a'), (2, NULL);

-- joins
SELECT t.id, u.id AS other, w FROM t JOIN u ON t.k = u.k;
SELECT t.id, u.id AS other FROM t JOIN u ON t.k = u.k AND t.v < u.w;
SELECT t.id, u.id AS other FROM t, u WHERE t.k = u.k AND t.s = u.s;
SELECT t.id, u.id AS other FROM t CROSS JOIN u WHERE t.v > 2;
SELECT t.id, u.id AS other FROM t JOIN u ON t.v < u.w;
SELECT t.id, u.id AS other FROM t JOIN u ON t.k + 1 = u.k;
SELECT t.id, u.id AS other FROM t JOIN u ON equal_null(t.k, u.k);
SELECT t.id, u.id AS other, w FROM t LEFT JOIN u ON t.k = u.k;
SELECT t.id, u.id AS other FROM t LEFT JOIN u ON t.k = u.k AND u.w > t.v AND t.v > 1;
SELECT t.id, u.id AS other FROM t LEFT JOIN u ON t.v < u.w;
SELECT t.id, u.id AS other FROM t LEFT JOIN u ON t.k = u.k WHERE u.id IS NULL;
SELECT t.id, u.id AS other FROM t RIGHT JOIN u ON t.k = u.k AND t.s = u.s;
SELECT t.id, u.id AS other FROM t FULL JOIN u ON t.k = u.k;
SELECT t.id, u.id AS other FROM t FULL JOIN u ON t.k = u.k AND t.v > u.w;
SELECT * FROM t NATURAL JOIN u;
SELECT * FROM t JOIN u USING (k);
SELECT k, t.id FROM t LEFT JOIN u USING (k, s);
SELECT * FROM t RIGHT JOIN u USING (k);
SELECT * FROM t FULL OUTER JOIN u USING (k);
SELECT k, t.k AS left_k, u.k AS right_k FROM t FULL JOIN u USING (k) WHERE k > 1;
SELECT a.k, b.k AS other FROM (SELECT k FROM t GROUP BY k) AS a FULL JOIN (SELECT DISTINCT k FROM u) AS b ON a.k = b.k;
SELECT a.n, b.m FROM (SELECT k, count(*) AS n FROM t GROUP BY k) AS a FULL JOIN u ON a.k = u.w FULL JOIN (SELECT k, count(*) AS m FROM u GROUP BY k) AS b ON u.s = b.k::string;
SELECT a.id, b.id AS other FROM t a JOIN t b ON a.k = b.v;
SELECT a.id, b.id AS b_id, c.id AS c_id FROM t a JOIN u b ON a.k = b.k LEFT JOIN t c ON b.w = c.v;
SELECT x.id, y.n FROM t x JOIN (SELECT k, count(*) AS n FROM u GROUP BY k) y ON x.k = y.k;
SELECT a.id FROM (t a JOIN u b ON a.k = b.k) JOIN t c ON c.id = b.w;
SELECT a.id, b.id AS other FROM t a LEFT JOIN (u b JOIN t c ON b.w = c.v) ON a.k = b.k;
SELECT t.id, u.id AS other FROM t JOIN u ON t.k = u.k OR t.s = u.s;
SELECT t.id FROM t JOIN u ON t.k = u.k AND u.w IN (SELECT v FROM t);

-- subqueries
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k);
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND u.w > t.v);
SELECT id FROM t WHERE NOT EXISTS (SELECT * FROM u WHERE u.k = t.k);
SELECT id FROM t WHERE NOT EXISTS (SELECT * FROM u WHERE u.k = t.k AND u.w <> t.v);
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.w > 2);
SELECT id FROM t WHERE k IN (SELECT k FROM u);
SELECT id FROM t WHERE k IN (SELECT k FROM u WHERE u.s = t.s);
SELECT id FROM t WHERE k NOT IN (SELECT k FROM u);
SELECT id FROM t WHERE k NOT IN (SELECT k FROM u WHERE k IS NOT NULL);
SELECT id FROM t WHERE v IN (1, (SELECT max(w) FROM u));
SELECT id FROM t WHERE k IN (SELECT k FROM u WHERE w > 1) AND v < (SELECT sum(w) + 3 FROM u AS o WHERE o.k = t.k);
SELECT k, sum(v::DECIMAL(30,12) + 0.123456789012) AS s, sum(v::DECIMAL(12,2)) AS d, avg(v) AS a FROM t GROUP BY k;
SELECT id FROM t WHERE (SELECT max(w) FROM u WHERE u.k = t.k) IN (SELECT w FROM u WHERE w > 0);
SELECT id FROM t WHERE ((SELECT max(w) FROM u WHERE u.k = t.k) IN (SELECT w FROM u WHERE w > 90)) = false;
SELECT id FROM t WHERE v + 1 < (SELECT 0.5 * max(w) FROM u WHERE u.k = t.k);
SELECT id FROM t WHERE (k, 1 + (SELECT min(w) FROM u)) NOT IN (SELECT k, v FROM u AS o JOIN t USING (k) WHERE v IS NOT NULL AND k IS NOT NULL);
SELECT id FROM t WHERE k NOT IN (SELECT k FROM u WHERE u.s = t.s);
SELECT id FROM t WHERE (k, s) IN (SELECT k, s FROM u);
SELECT id FROM t WHERE k = ANY (SELECT w FROM u) AND v <> ALL (SELECT w FROM u WHERE w < 2);
SELECT id, v > ALL (SELECT w FROM u) AS above, v < SOME (SELECT w FROM u WHERE w IS NOT NULL) AS below FROM t;
SELECT id, v >= ALL (SELECT w FROM u WHERE u.k = t.k) AS most, v <> ANY (SELECT w FROM u WHERE u.k = t.k) AS other FROM t;
SELECT id FROM t WHERE v >= ALL (SELECT w FROM u WHERE u.k = t.k AND w > 1) AND NOT v = ALL (SELECT w FROM u WHERE w > 3);
SELECT id FROM t WHERE v > ANY (SELECT w FROM u) OR x <= ANY (SELECT v FROM t AS o WHERE o.s = t.s);
SELECT id, v IN (SELECT w FROM u) AS there, v NOT IN (SELECT w FROM u WHERE u.k = t.k) AS missing FROM t;
SELECT k, (v = ANY (SELECT w FROM u)) IS NULL AS open, COUNT(*) AS n FROM t GROUP BY ALL;
SELECT id FROM t WHERE v = 1 OR EXISTS (SELECT 1 FROM u WHERE u.k = t.k);
SELECT id FROM t WHERE v = 1 OR EXISTS (SELECT 1 FROM u WHERE u.w > 2);
SELECT id, EXISTS (SELECT 1 FROM u WHERE u.w > 100) AS there FROM t;
SELECT id FROM t WHERE v = 1 OR NOT EXISTS (SELECT 1 FROM u WHERE u.k = 3);
SELECT id FROM t WHERE v = 1 OR k IN (SELECT k FROM u);
SELECT id FROM t WHERE v = 1 OR k NOT IN (SELECT w FROM u WHERE u.s = t.s);
SELECT id, k IN (SELECT k FROM u) AS there FROM t;
SELECT id, EXISTS (SELECT 1 FROM u WHERE u.k = t.k) AS there FROM t;
SELECT id FROM t WHERE v > (SELECT avg(w) FROM u);
SELECT id, (SELECT max(w) FROM u WHERE u.k = t.k) AS most FROM t;
SELECT id, (SELECT count(*) FROM u WHERE u.k = t.k) AS n FROM t;
SELECT id, (SELECT count(*) + 1 FROM u WHERE u.k = t.k AND u.w > 1) AS n FROM t;
SELECT id FROM t WHERE v < (SELECT sum(w) FROM u WHERE u.k = t.k AND u.s = t.s);
SELECT id FROM t WHERE v = (SELECT min(v) FROM t o WHERE o.k = t.k);
SELECT k, sum(v) AS total FROM t GROUP BY k HAVING sum(v) > (SELECT max(w) FROM u);
SELECT k, n, count(*) AS m FROM (SELECT k, (SELECT count(*) FROM u WHERE u.k = t.k) AS n FROM t) GROUP BY k, n;
SELECT k, (SELECT max(w) FROM u) AS most, count(*) AS m FROM t GROUP BY k;
SELECT k, count(*) AS n FROM t GROUP BY k HAVING EXISTS (SELECT 1 FROM u WHERE u.k = t.k);
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u JOIN t o ON o.k = u.k WHERE u.w = t.v AND o.s = 'a');
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND NOT EXISTS (SELECT 1 FROM t o WHERE o.v = u.w));
SELECT id FROM t WHERE EXISTS (SELECT k FROM u WHERE u.s = t.s GROUP BY k HAVING count(*) > 1);
SELECT id FROM t WHERE v IN (SELECT max(w) FROM u GROUP BY k);

-- subqueries that depend on the row around them in any way
SELECT id, (SELECT max(w) FROM u WHERE u.w > t.v) AS most FROM t;
SELECT id, (SELECT count(*) FROM u WHERE u.w > t.v) AS n FROM t;
SELECT k, v, (SELECT count(*) + 1 FROM u WHERE u.k = t.k OR u.s = t.s) AS n FROM t;
SELECT id, (SELECT max(w) FROM u WHERE equal_null(u.k, t.k)) AS most FROM t;
SELECT id, (SELECT max(w) FROM u WHERE t.v = 1) AS most, (SELECT t.v + 1) AS next FROM t;
SELECT id, (SELECT w FROM u WHERE u.id = t.id AND u.w >= t.v) AS w FROM t;
SELECT id, (SELECT sum(w) FROM u WHERE u.k = t.k HAVING count(*) > 1) AS total FROM t;
SELECT id, (SELECT sum(w) FROM u WHERE u.k = t.k HAVING sum(w) > t.v) AS total FROM t;
SELECT id, (SELECT max(n) FROM (SELECT s, count(*) AS n FROM u WHERE u.w >= t.v GROUP BY s)) AS most FROM t;
SELECT id, (SELECT max(n) FROM (SELECT count(*) AS n FROM u WHERE u.k = t.k)) AS n FROM t;
SELECT id, (SELECT count(*) FROM (SELECT DISTINCT s FROM u WHERE u.w >= t.v)) AS n FROM t;
SELECT id, (SELECT max(w) FROM (SELECT w FROM u WHERE u.k = t.k UNION ALL SELECT v FROM t o WHERE o.s = t.s)) AS most FROM t;
SELECT id, (SELECT count(*) FROM (SELECT w FROM u WHERE u.k = t.k EXCEPT SELECT v FROM t o WHERE o.s = t.s)) AS n FROM t;
SELECT id, (SELECT count(*) FROM (SELECT w FROM u WHERE u.k = t.k INTERSECT ALL SELECT v FROM t o WHERE o.s = t.s)) AS n FROM t;
SELECT id, (SELECT max(n) FROM (SELECT row_number() OVER (PARTITION BY s ORDER BY id) AS n FROM u WHERE u.w > t.v)) AS most FROM t;
SELECT id, (SELECT max(n) FROM (SELECT count(*) OVER () AS n, 'OVER (' AS text FROM u WHERE u.k = t.k) WHERE text = 'OVER (') AS n FROM t;
SELECT id, (SELECT max(q.w) FROM u q LEFT JOIN t o ON q.k = o.k WHERE q.w > t.v) AS most FROM t;
SELECT id, (SELECT count(o.id) FROM u q LEFT JOIN t o ON q.k = o.k AND o.v > t.v) AS n FROM t;
SELECT id, (SELECT count(o.id) FROM u q RIGHT JOIN t o ON q.k = o.k AND q.w > t.v) AS n FROM t;
SELECT id, (SELECT count(o.id) FROM u q FULL JOIN t o ON q.k = o.k WHERE q.w > t.v) AS n FROM t;
SELECT id, (SELECT count(*) FROM a, LATERAL FLATTEN(INPUT => a.tags) f WHERE a.id > t.v) AS n FROM t;
SELECT id, (SELECT max(w) FROM u WHERE t.v IN (SELECT v FROM t o WHERE o.k = u.k)) AS most FROM t;
SELECT id, (SELECT array_agg(w) FROM u WHERE u.w > t.v) AS ws, (SELECT listagg(w, ',') FROM u WHERE u.w > t.v) AS list FROM t;
SELECT id FROM t WHERE v = 1 OR v > (SELECT max(w) FROM u WHERE u.w > t.k);
SELECT k, sum(v) AS total FROM t GROUP BY k HAVING sum(v) > (SELECT min(w) FROM u WHERE u.w > t.k);
SELECT id, (SELECT max(w) FROM u WHERE u.w < t.v) AS a, (SELECT min(w) FROM u WHERE u.w > t.v) AS b, (SELECT count(*) FROM u WHERE u.k <> t.k) AS c FROM t;
SELECT id FROM t WHERE EXISTS (SELECT count(*) FROM u WHERE u.k = t.k);
SELECT id FROM t WHERE v = 1 OR EXISTS (SELECT 1 FROM u WHERE u.w < t.v);
SELECT id FROM t WHERE EXISTS (SELECT s FROM u WHERE u.w > t.v GROUP BY s HAVING count(*) > 1);
SELECT id FROM t WHERE NOT EXISTS (SELECT s FROM u WHERE u.w > t.v UNION ALL SELECT s FROM t o WHERE o.v > t.k);
SELECT id FROM t WHERE EXISTS (SELECT row_number() OVER (ORDER BY id) AS n FROM u WHERE u.w > t.v QUALIFY n > 1);
SELECT id FROM t WHERE k IN (SELECT u.k + t.v FROM u);
SELECT id FROM t WHERE k NOT IN (SELECT u.k + t.v FROM u WHERE u.s = t.s);
SELECT id, (SELECT count(*) FROM u JOIN t AS o ON u.k = o.k AND u.s = t.s AND o.v = t.v WHERE u.w > 1) AS n FROM t;
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u JOIN t AS o ON u.k = o.k AND u.s = t.s AND o.v = t.v WHERE u.w > 1);
SELECT id FROM t WHERE v IN (SELECT o.v FROM u JOIN t AS o ON u.k = t.k JOIN a ON a.id = o.id AND a.id > 1 WHERE u.w > 1);
SELECT id, (SELECT s FROM u WHERE u.id = t.id AND u.k > 0) AS one FROM t;
SELECT id FROM t WHERE v NOT IN (SELECT count(*) FROM u WHERE u.k = t.k);
SELECT id FROM t WHERE v NOT IN (SELECT max(w) FROM u WHERE u.w > t.v GROUP BY s);
SELECT id FROM t WHERE v = 1 OR k NOT IN (SELECT k FROM u WHERE u.w > t.v);
SELECT id FROM t WHERE v = 2 OR (k, s) NOT IN (SELECT k, s FROM u WHERE u.w = t.v);
SELECT id, k IN (SELECT k FROM u WHERE u.w > t.v) AS there FROM t;
SELECT id FROM t WHERE NOT (v = 1 OR k IN (SELECT w FROM u));
SELECT id FROM t WHERE NOT (NOT (k IN (SELECT w FROM u)) AND v = 2);

-- subqueries in the conditions of outer joins
SELECT t.id, u.id AS other FROM t LEFT JOIN u ON t.k = u.k AND u.w IN (SELECT v FROM t);
SELECT t.id, u.id AS other FROM t LEFT JOIN u ON t.k = u.k AND (u.w > 1 OR t.v IN (SELECT w FROM u));
SELECT t.id, u.id AS other FROM t LEFT JOIN u ON t.k = u.k AND NOT EXISTS (SELECT 1 FROM a WHERE a.id = u.w);
SELECT t.id, u.id AS other FROM t LEFT JOIN u ON t.k = u.k AND u.w > (SELECT avg(v) FROM t);
SELECT t.id, u.id AS other FROM t RIGHT JOIN u ON t.k = u.k AND (EXISTS (SELECT 1 FROM a WHERE a.id > t.v) OR EXISTS (SELECT 1 FROM a WHERE a.id > u.w));
SELECT t.id, u.id AS other FROM t FULL JOIN u ON t.k = u.k AND t.v < (SELECT max(w) FROM u) AND t.k IN (SELECT k FROM u i WHERE i.s = t.s);
SELECT t.id FROM t LEFT ANTI JOIN u ON t.k = u.k AND u.w IN (SELECT v FROM t);
SELECT id, (SELECT count(a.id) FROM u LEFT JOIN a ON a.id = u.w AND t.v IN (SELECT v FROM t o)) AS n FROM t;

-- LATERAL
SELECT t.id, q.c FROM t, LATERAL (SELECT t.v + 1 AS b, b + 1 AS c) q WHERE q.b > 2;
SELECT t.id, q.w FROM t, LATERAL (SELECT w FROM u WHERE u.k = t.k) q;
SELECT t.id, q.w FROM t CROSS JOIN LATERAL (SELECT w FROM u WHERE u.w > t.v) q WHERE q.w = t.k;
SELECT k, q.w FROM t LEFT JOIN LATERAL (SELECT w FROM u WHERE u.w > t.v) q ON q.w > 1;
SELECT t.id, q.n, q.k FROM t, LATERAL (SELECT count(*) AS n, max(k) AS k FROM u WHERE u.k = t.k) q;
SELECT t.id, q.n, q.k FROM t, LATERAL (SELECT count(*) AS n, max(k) AS k FROM u WHERE u.w > t.v) q WHERE t.k = q.k;
SELECT t.id, q.n FROM t LEFT JOIN LATERAL (SELECT count(*) AS n FROM u WHERE u.w > t.v) q ON q.n > 1;
SELECT t.id, q.s, q.total FROM t, LATERAL (SELECT s, sum(w) AS total FROM u WHERE u.k = t.k GROUP BY s) q;
SELECT t.id, q.s FROM t, LATERAL (SELECT DISTINCT s FROM u WHERE u.w > t.v) q;
SELECT t.id, q.id AS other FROM t, LATERAL (SELECT id, row_number() OVER (ORDER BY w DESC, id) AS n FROM u WHERE u.k = t.k) q WHERE q.n = 1;
SELECT t.id, q.w FROM t, LATERAL (SELECT w FROM u WHERE u.k = t.k UNION ALL SELECT t.v) q;
SELECT t.id, q.w FROM t, LATERAL (SELECT w FROM u WHERE u.k = t.k EXCEPT SELECT t.v) q;
SELECT t.id, q.w, p.id AS other FROM t, LATERAL (SELECT w FROM u WHERE u.k = t.k) q, LATERAL (SELECT id FROM u WHERE u.w = q.w AND u.s = t.s) p;
SELECT t.id, q.n, u.id AS other FROM t, u, LATERAL (SELECT count(*) AS n FROM u i WHERE i.w > t.v AND i.k < u.k) q WHERE t.k = u.k AND u.s = t.s;
SELECT t.id, q.value FROM t JOIN LATERAL (SELECT f.value FROM a, LATERAL FLATTEN(INPUT => a.tags) f WHERE a.id > t.v) q ON q.value <> t.s;
SELECT q.n, count(*) AS m FROM t, LATERAL (SELECT count(*) AS n FROM u WHERE u.k = t.k) q GROUP BY q.n;
SELECT q.w FROM LATERAL (SELECT w FROM u) q;

-- aggregates
SELECT count(*) AS n, sum(v) AS total, min(s) AS least FROM t;
SELECT count(*) AS n FROM t WHERE v > 100;
SELECT 1 AS one FROM t HAVING 1 = 1;
SELECT k, count(*) AS n, count(v) AS m, sum(v) AS total, avg(v) AS mean, min(v) AS low, max(v) AS high FROM t GROUP BY k;
SELECT k, s, count(DISTINCT v) AS different FROM t GROUP BY k, s;
SELECT k, count(DISTINCT v) AS vs, count(DISTINCT s) AS ss, sum(DISTINCT v) AS total FROM t GROUP BY k;
SELECT k, sum(v) AS total FROM t GROUP BY k HAVING count(*) > 1;
SELECT k + 1 AS next, sum(v) AS total FROM t GROUP BY k + 1;
SELECT v % 2 AS odd, count(*) AS n FROM t GROUP BY odd;
SELECT s, k, max(v) AS high FROM t GROUP BY 1, 2;
SELECT s, k, max(v) - min(v) AS spread FROM t GROUP BY ALL;
SELECT k, sum(v) FILTER (WHERE s = 'a') AS of_a, count_if(v > 1) AS many FROM t GROUP BY k;
SELECT max(v) AS high FROM t GROUP BY k;
SELECT DISTINCT count(*) AS n FROM t GROUP BY k;
SELECT k, s, count(*) AS n FROM t GROUP BY ROLLUP (k, s);
SELECT k, s, sum(v) AS total, GROUPING(k) AS g, GROUPING_ID(k, s) AS gid FROM t GROUP BY CUBE (k, s);
SELECT k, s, count(*) AS n FROM t GROUP BY GROUPING SETS ((k, s), (k), ());
SELECT k, s, v, count(*) AS n FROM t GROUP BY k, ROLLUP (s, v);
SELECT sum(n) AS total, max(n) AS most FROM (SELECT k, count(*) AS n FROM t GROUP BY k);
SELECT t.k, count(u.id) AS n FROM t LEFT JOIN u ON t.k = u.k GROUP BY t.k;
SELECT k, sum(v) AS v FROM t GROUP BY k HAVING v > 2;
SELECT k, listagg(s, ',') AS ss, count(DISTINCT v) AS vs, count(DISTINCT id) FILTER (WHERE v > 1) AS ids FROM t GROUP BY k;
SELECT listagg(v, '+') WITHIN GROUP (ORDER BY v DESC) AS vs, count(DISTINCT s) AS ss, sum(DISTINCT k) AS ks FROM t WHERE v > 0;
SELECT k, array_sort(array_agg(v)) AS vs, listagg(s, ',') WITHIN GROUP (ORDER BY s) AS ss FROM t GROUP BY k;
SELECT k, min_by(v, id) AS first, max_by(v, id) AS last FROM t GROUP BY k;
SELECT k, max(x) AS high FROM t GROUP BY k;
SELECT x, count(*) AS n FROM t GROUP BY x;
SELECT boolor_agg(v > 2) AS some, booland_agg(v > 0) AS every FROM t;
SELECT k, iff(count(*) > 1, 'many', 'one') AS many, k || s AS both FROM t GROUP BY k, s;

-- counts and exact sums, which gain
SELECT k, count(*) AS n, count(v) AS m, sum(v) AS total, count_if(v > 1) AS many FROM t GROUP BY k;
SELECT k, s, sum(-v) AS less, sum(v - 2) AS off FROM t GROUP BY k, s;
SELECT s, sum(v::number(10, 2) * (1 - k::number(3, 2))) AS total, count(*) AS n FROM t GROUP BY s;
SELECT s, sum(CASE v WHEN 1 THEN 0.00000000000000000001::number(38, 20) ELSE v::number(38, 20) END) AS fine FROM t GROUP BY s;
SELECT sum(v * 0.5) AS halves, count(s) AS n, sum(k) FILTER (WHERE s = 'a') AS of_a FROM t;
SELECT sum(v) AS total, count(*) AS n FROM t WHERE v > 100;
SELECT v, sum(nullif(k, 1)) AS total, count(nullif(k, 1)) AS n FROM t GROUP BY v;
SELECT x, sum(v) AS total FROM t GROUP BY x;
SELECT k, 1 AS one, count(*) AS n FROM t GROUP BY k, 2;
SELECT t.k, sum(u.w) AS total, count(u.id) AS n, count(*) AS every FROM t LEFT JOIN u ON t.k = u.k GROUP BY t.k;
SELECT u.s, sum(t.v) AS total, count(t.id) AS n FROM t RIGHT JOIN u ON t.k = u.k GROUP BY u.s;
SELECT k, sum(v) AS vs, sum(w) AS ws FROM t FULL JOIN u USING (k) GROUP BY k;
SELECT t.s, u.s AS other, sum(t.v * u.w) AS total, count(*) AS n FROM t JOIN u ON t.k = u.k GROUP BY t.s, u.s;
SELECT a.id, a.s, sum(b.v) AS total FROM t a JOIN t b ON a.id = b.k GROUP BY a.id, a.s;
SELECT sum(v) AS vs, sum(w) AS ws, count(*) AS n FROM t, u;
SELECT k, sum(v) AS total FROM t GROUP BY k HAVING sum(v) > 2 AND count(*) > 1;
SELECT k, s, sum(v) AS total, count(v) FILTER (WHERE v > 1) AS n FROM t GROUP BY ROLLUP (k, s);
SELECT k, s, count(*) AS n, sum(v) AS total, GROUPING(k) AS g FROM t GROUP BY CUBE (k, s);
SELECT n, count(*) AS m, sum(n) AS total FROM (SELECT k, count(*) AS n FROM t GROUP BY k) GROUP BY n;
SELECT count(*) AS n, sum(total) AS whole FROM (SELECT sum(v) AS total FROM t GROUP BY s HAVING count(*) > 1);
SELECT k, sum(n) AS total, count(*) AS m FROM (SELECT k, v AS n FROM t UNION ALL SELECT k, w FROM u) GROUP BY k;
SELECT s, sum(v) AS total FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k) GROUP BY s;
SELECT s, count(*) AS n FROM t WHERE k NOT IN (SELECT k FROM u WHERE k IS NOT NULL) GROUP BY s;
SELECT s, sum(k) AS total, count(k) AS n FROM (SELECT DISTINCT s, k FROM t) GROUP BY s;
SELECT s, sum((SELECT count(*) FROM u WHERE u.k = t.k)) AS met FROM t GROUP BY s;
SELECT k, total, rank() OVER (ORDER BY total) AS place FROM (SELECT k, sum(v) AS total FROM t GROUP BY k);
SELECT q.k, q.total, u.id FROM (SELECT k, sum(v) AS total FROM t GROUP BY k) q LEFT JOIN u ON u.w = q.total;
SELECT f.value AS tag, count(*) AS n, count(f.index) AS places FROM a, LATERAL FLATTEN(INPUT => a.tags) f GROUP BY f.value;

-- windows
SELECT id, row_number() OVER (PARTITION BY k ORDER BY v, id) AS n FROM t;
SELECT id, rank() OVER (PARTITION BY k ORDER BY v) AS r, dense_rank() OVER (PARTITION BY k ORDER BY v) AS d FROM t;
SELECT id, sum(v) OVER (PARTITION BY k) AS total, v * 100 / nullif(sum(v) OVER (PARTITION BY k), 0) AS share FROM t;
SELECT id, sum(v) OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS two FROM t;
SELECT id, lag(v) OVER (PARTITION BY k ORDER BY id) AS before, lead(v, 1, 0) OVER (PARTITION BY s ORDER BY id) AS after FROM t;
SELECT id, count(*) OVER () AS n FROM t;
SELECT id, first_value(s) OVER (PARTITION BY k ORDER BY id) AS first FROM t WHERE v > 0;
SELECT id, k, v FROM t QUALIFY row_number() OVER (PARTITION BY k ORDER BY v DESC, id) = 1;
SELECT id, k FROM t QUALIFY count(*) OVER (PARTITION BY k, s) > 1;
SELECT k, sum(v) AS total, rank() OVER (ORDER BY sum(v) DESC) AS place FROM t GROUP BY k;
SELECT k, s, count(*) AS n, sum(count(*)) OVER (PARTITION BY k) AS of_k FROM t GROUP BY k, s QUALIFY n < of_k;
SELECT id, n FROM (SELECT id, k, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM t) WHERE n <= 2;
SELECT t.id, sum(u.w) OVER (PARTITION BY t.k ORDER BY t.id, u.id) AS running FROM t JOIN u ON t.k = u.k;
SELECT id, avg(v) OVER (PARTITION BY k ORDER BY v RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS near FROM t;
SELECT id, ntile(2) OVER (PARTITION BY s ORDER BY id) AS half FROM t;
SELECT id, conditional_change_event(v) OVER (PARTITION BY k ORDER BY id) AS changes, v FROM t;
SELECT id, sum(distinct v) OVER (PARTITION BY k) AS total, max(lag(v) OVER (ORDER BY id)) OVER (PARTITION BY s) AS most FROM t;
SELECT id, nth_value(v, 2) FROM LAST IGNORE NULLS OVER (PARTITION BY k ORDER BY id) AS last_but_one FROM t;
SELECT k, count(u.*) AS whole, count(distinct u.* exclude (id)) AS kinds, count(*) AS n FROM t JOIN u USING (k) GROUP BY k;

-- sets
SELECT k, s FROM t UNION ALL SELECT k, s FROM u;
SELECT k FROM t UNION SELECT k FROM u;
SELECT k, s FROM t EXCEPT SELECT k, s FROM u;
SELECT k FROM t INTERSECT SELECT k FROM u;
SELECT k FROM t EXCEPT ALL SELECT k FROM u;
SELECT k, s FROM t INTERSECT ALL SELECT k, s FROM u;
SELECT k FROM t MINUS SELECT w FROM u;
SELECT id, 'even' AS kind FROM t WHERE v % 2 = 0 UNION ALL SELECT id, 'all' FROM t UNION ALL SELECT w, s FROM u;
(SELECT k FROM t UNION SELECT w FROM u) EXCEPT SELECT v FROM t;
SELECT v AS n FROM t UNION ALL SELECT x FROM t;
SELECT k, count(*) AS n FROM (SELECT k FROM t UNION ALL SELECT k FROM u) GROUP BY k;

-- WITH and nested queries
WITH one AS (SELECT k, sum(v) AS total FROM t GROUP BY k) SELECT a.k, b.total FROM one a JOIN one b ON a.total = b.k;
WITH one(key, n) AS (SELECT k, count(*) FROM t GROUP BY k), two AS (SELECT key, n + 1 AS m FROM one) SELECT * FROM two WHERE m > 1;
WITH c0 AS (SELECT id, k, v FROM t WHERE v > 0), c1 AS (SELECT a.id, b.k, a.v FROM c0 a JOIN c0 b ON a.k = b.k), c2 AS (SELECT k, max(v) AS v FROM c1 GROUP BY k), c3 AS (SELECT c1.id, c2.v FROM c1 JOIN c2 USING (k)), c4 AS (SELECT id, v FROM c3 UNION ALL SELECT id, k FROM c1) SELECT x.id, count(*) AS n FROM c4 x JOIN c4 y ON x.v = y.v GROUP BY x.id;
WITH c0 AS (SELECT id, k, v FROM t), c1 AS (SELECT k, max(v) AS v FROM c0 GROUP BY k), c2 AS (SELECT c0.id, c1.v FROM c0 LEFT JOIN c1 USING (k)), c3 AS (SELECT id, v FROM c2 WHERE id IN (SELECT v FROM c1)), c4 AS (SELECT DISTINCT c2.v, c3.id FROM c2 LEFT JOIN c3 USING (id)) SELECT a.v, b.id FROM c4 a JOIN c4 b ON a.v = b.v;
WITH c0 AS (SELECT id, v FROM t), c1 AS (SELECT id, v + 1 AS v FROM c0 WHERE v > 0), c2 AS (SELECT * FROM c1 UNION ALL SELECT * FROM c1), c3 AS (SELECT * FROM c2 UNION ALL SELECT * FROM c2), c4 AS (SELECT id, v * 2 AS v FROM c3 UNION ALL SELECT * FROM c3) SELECT id, v FROM c4 WHERE v < 9;
WITH t AS (SELECT k AS id FROM u) SELECT * FROM t;
SELECT * FROM (SELECT k, s FROM (SELECT k, s, v FROM t WHERE v > 0) WHERE s = 'a') AS q(a, b) WHERE a > 0;
SELECT id, (SELECT max(n) FROM (SELECT count(*) AS n FROM u GROUP BY k)) AS most FROM t;

-- arrays and variants
SELECT a.id, f.value AS tag, f.index AS place FROM a, LATERAL FLATTEN(INPUT => a.tags) f;
SELECT a.id, f.value::string AS tag FROM a, LATERAL FLATTEN(INPUT => a.tags, OUTER => TRUE) f;
SELECT id, transform(tags, c0 -> concat(c0, id)) AS b, transform(tags, c1 -> transform(tags, (c1, c2) -> concat(c1, c2, id))) AS c FROM a;
SELECT a.id, f.value AS tag FROM a, LATERAL FLATTEN(INPUT => transform(a.tags, l -> concat(l, a.id))) f;
SELECT a.id, f.key, f.value::int AS n FROM a, LATERAL FLATTEN(INPUT => parse_json(a.doc)) f WHERE f.value::int > 1;
SELECT a.id, p.value AS part FROM a, LATERAL SPLIT_TO_TABLE(a.name, '-') p;
SELECT f.value AS tag, count(*) AS n FROM a, LATERAL FLATTEN(INPUT => a.tags) f GROUP BY f.value;
SELECT a.id, parse_json(doc):n::int AS n, tags[0] AS first FROM a WHERE parse_json(doc):n > 1;
SELECT a.id, f.value AS tag FROM a LEFT JOIN LATERAL FLATTEN(INPUT => a.tags) f ON TRUE;
SELECT a.id, f.path, f.value::string AS v FROM a, LATERAL FLATTEN(INPUT => parse_json(a.doc), RECURSIVE => TRUE, OUTER => TRUE) f;
SELECT id FROM a WHERE 'x' IN (SELECT f.value FROM TABLE(FLATTEN(INPUT => a.tags)) f);
SELECT t.id, (SELECT count(*) FROM TABLE(FLATTEN(INPUT => t.j)) f) AS n FROM (SELECT id, parse_json(doc) AS j FROM a) t WHERE EXISTS (SELECT 1 FROM u, LATERAL FLATTEN(INPUT => t.j) f WHERE f.value::int > u.k);
SELECT a.id, object_construct('id', a.id, 'n', parse_json(doc):n) AS made FROM a;

-- pivots
SELECT * FROM (SELECT k, s, v FROM t) PIVOT (SUM(v) FOR s IN ('a', 'b' AS bee));
SELECT * FROM (SELECT k, s, v FROM t) PIVOT (COUNT(v) FOR s IN ('a', 'none', NULL));
SELECT * FROM (SELECT k, v, w FROM t JOIN u USING (k)) PIVOT (MAX(v) AS most, COUNT(*) AS n FOR w IN (1, 2));
SELECT p.k, "2" + 1 AS more FROM (SELECT k, v, id FROM t) PIVOT (COUNT(DISTINCT id) FOR v IN (1, 2, 3)) AS p WHERE "2" > 0;
SELECT * FROM (SELECT s, v FROM t) PIVOT (SUM(v) FOR s IN ('a', 'ab'));
SELECT * FROM (SELECT name AS key, tags, name FROM a) PIVOT (ARRAY_AGG(name) FOR name IN ('z', ''));
SELECT a, b FROM (SELECT k, v, s FROM t) PIVOT (AVG(v) FOR s IN ('a', 'b')) AS p (key, a, b);
SELECT * FROM u PIVOT (SUM(w) FOR s IN (1, 'a')) PIVOT (COUNT(id) FOR k IN (1, 2));
SELECT * FROM (SELECT k, x, v FROM t) PIVOT (SUM(v) FOR x IN (0, 1));
SELECT * FROM (t JOIN (SELECT k AS other, w FROM u) q ON t.k = q.other) PIVOT (SUM(w) FOR v IN (0, 1));
SELECT * FROM (SELECT k, s, v FROM t) PIVOT (MAX(s) AS most, COUNT(s) AS n FOR v IN (1, 3));

-- unpivots: NULLs in and out, columns named again, values of several types, above and below others
SELECT * FROM (SELECT id, k, v FROM t) UNPIVOT (amount FOR kind IN (k, v));
SELECT * FROM (SELECT k, v, s FROM t) UNPIVOT INCLUDE NULLS (amount FOR kind IN (v AS 'First', K));
SELECT * FROM (SELECT k, v, x FROM t) UNPIVOT (amount FOR kind IN (k, X AS "as it is"));
SELECT kind, SUM(amount) AS total, COUNT(*) AS n FROM (SELECT id, k, v FROM t) UNPIVOT (amount FOR kind IN (k, v)) GROUP BY kind;
SELECT p.key, p.what, u.w FROM (SELECT id, k, v FROM t) UNPIVOT (amount FOR kind IN (k, v)) AS p (key, what, of) LEFT JOIN u ON u.k = p.of WHERE p.what <> 'v';
SELECT * FROM (t JOIN (SELECT id AS other, w FROM u) q ON t.v = q.other) UNPIVOT INCLUDE NULLS (n FOR c IN (w, k, other));
SELECT * FROM (SELECT a, b FROM (SELECT k, s, v FROM t) PIVOT (SUM(v) FOR s IN ('a', 'b')) AS p (k, a, b)) UNPIVOT (v FOR c IN (a, b));
SELECT id FROM t WHERE k NOT IN (SELECT n FROM (SELECT id, k, w FROM u) UNPIVOT (n FOR c IN (k, w)) WHERE n > 1);

-- limits: in total orders alone, over columns that are shown or not, of groups, unions and subqueries
SELECT id, v FROM t ORDER BY v DESC, id LIMIT 3;
SELECT v FROM t ORDER BY s, v + k DESC NULLS LAST, id LIMIT 4 OFFSET 2;
SELECT TOP 2 id AS k, k AS id FROM t ORDER BY id, k;
SELECT k, SUM(v) AS total FROM t GROUP BY k ORDER BY SUM(v) DESC, k LIMIT 2;
SELECT COUNT(*) AS n FROM t GROUP BY k, s HAVING n > 0 ORDER BY n DESC, s, 1, k OFFSET 1 ROWS FETCH NEXT 3 ROWS ONLY;
SELECT DISTINCT k, s FROM t ORDER BY 2 DESC, 1 LIMIT 3;
SELECT k FROM t UNION SELECT k FROM u ORDER BY k LIMIT 2;
SELECT q.id, u.w FROM (SELECT id, k FROM t ORDER BY k, id LIMIT 5) q LEFT JOIN u ON u.k = q.k WHERE q.k > 0;
SELECT t.id, u.id AS other, rank() OVER (PARTITION BY t.k ORDER BY u.id) AS r FROM t JOIN u ON t.k = u.k ORDER BY r, t.id DESC, u.id LIMIT 3;
SELECT id FROM t WHERE k IN (SELECT k FROM u ORDER BY id DESC LIMIT 2);
SELECT id, x FROM t ORDER BY x DESC, id LIMIT 0;
WITH c AS (SELECT id, v FROM t ORDER BY id DESC LIMIT 4) SELECT a.id, b.v FROM c a JOIN c b ON a.v = b.v;

-- values that are equal in another type, and not in their own
SELECT t.id, r.id AS rid FROM t LEFT JOIN (SELECT id, iff(mod(id, 2) = 0, '0' || k, k::string) AS k FROM u) r USING (k);
SELECT t.id, r.id AS rid FROM t FULL JOIN (SELECT id, iff(mod(id, 2) = 0, '0' || k, k::string) AS k FROM u) r USING (k);
WITH l AS (SELECT id, k, dateadd(day, k, '2024-01-01'::date) AS day FROM t), r AS (SELECT id, w, iff(mod(id, 2) = 0, '2024-1-', '2024-01-0') || (k + 1) AS day FROM u) SELECT l.id, r.id AS rid FROM l LEFT JOIN r ON l.day = r.day;
WITH l AS (SELECT id, k, dateadd(day, k, '2024-01-01'::date) AS day FROM t), r AS (SELECT id, w, iff(mod(id, 2) = 0, '2024-1-', '2024-01-0') || (k + 1) AS day FROM u) SELECT l.day, count(*) AS n, max(r.id) AS most FROM l JOIN r ON l.day = r.day GROUP BY l.day;
WITH l AS (SELECT id, k, dateadd(day, k, '2024-01-01'::date) AS day FROM t), r AS (SELECT id, w, iff(mod(id, 2) = 0, '2024-1-', '2024-01-0') || (k + 1) AS day FROM u) SELECT one.id, other.id AS oid, l.id AS lid FROM r one JOIN l ON one.day = l.day JOIN r other ON l.day = other.day;
WITH l AS (SELECT id, k, dateadd(day, k, '2024-01-01'::date) AS day FROM t), r AS (SELECT id, w, iff(mod(id, 2) = 0, '2024-1-', '2024-01-0') || (k + 1) AS day FROM u) SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.day = l.day);
WITH l AS (SELECT id, k, dateadd(day, k, '2024-01-01'::date) AS day FROM t), r AS (SELECT id, w, iff(mod(id, 2) = 0, '2024-1-', '2024-01-0') || (k + 1) AS day FROM u) SELECT id FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.day = l.day);
WITH l AS (SELECT id, k, dateadd(day, k, '2024-01-01'::date) AS day FROM t), r AS (SELECT id, w, iff(mod(id, 2) = 0, '2024-1-', '2024-01-0') || (k + 1) AS day FROM u) SELECT id FROM l WHERE k = 3 OR EXISTS (SELECT 1 FROM r WHERE r.day = l.day);
WITH l AS (SELECT id, k, dateadd(day, k, '2024-01-01'::date) AS day FROM t), r AS (SELECT id, w, iff(mod(id, 2) = 0, '2024-1-', '2024-01-0') || (k + 1) AS day FROM u) SELECT id, (SELECT max(w) FROM r WHERE r.day = l.day) AS m FROM l;
WITH l AS (SELECT id, k, dateadd(day, k, '2024-01-01'::date) AS day FROM t), r AS (SELECT id, w, iff(mod(id, 2) = 0, '2024-1-', '2024-01-0') || (k + 1) AS day FROM u) SELECT id FROM l WHERE k < (SELECT max(w) FROM r WHERE r.day = l.day);
WITH l AS (SELECT id, k, dateadd(day, k, '2024-01-01'::date) AS day FROM t), r AS (SELECT id, w, iff(mod(id, 2) = 0, '2024-1-', '2024-01-0') || (k + 1) AS day FROM u) SELECT l.id, q.w FROM l, LATERAL (SELECT DISTINCT w FROM r WHERE r.day = l.day) q;
SELECT t.id, u.id AS uid FROM t JOIN (SELECT id, iff(mod(id, 2) = 0, 't', 'true') AS is_large FROM u) u ON u.is_large = (t.k > 1);
SELECT t.id, u.id AS uid FROM t LEFT JOIN u ON reverse(t.s) = reverse(u.s) AND t.v > u.w;
SELECT id FROM t WHERE x = 0 OR k::double + 9007199254740992 IN (SELECT w + 9007199254740992 FROM u);
SELECT (k + 9007199254740992)::double AS x FROM t INTERSECT SELECT w + 9007199254740992 FROM u;
SELECT (k + 9007199254740992)::double AS x FROM t EXCEPT SELECT w + 9007199254740992 FROM u;
SELECT n, count(*) AS many, max(id) AS most FROM (SELECT id, k + 9007199254740992 AS n FROM t UNION ALL SELECT id, (w + 9007199254740992)::double FROM u) GROUP BY n;
SELECT u.id, y.many FROM (SELECT id, w + 9007199254740992 AS n FROM u) u JOIN (SELECT n, count(*) AS many FROM (SELECT k + 9007199254740992 AS n FROM t UNION ALL SELECT (w + 9007199254740992)::double FROM u) GROUP BY n) y USING (n);
