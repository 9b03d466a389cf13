import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseOpenMetrics } from "./open-metrics.fixture.ts";
import { Counter, Histogram, renderOpenMetrics } from "./open-metrics.ts";

test("each type is written as the specification has it", () => {
  const requests = new Counter("operation", "status");
  requests.add(["a", "200"]);
  requests.add(["a", "200"], 2);
  requests.add(["b", "500"]);
  const histogram = new Histogram([0.5, 1]);
  for (const value of [0.1, 0.5, 0.7, 9]) histogram.add(value);
  const text = renderOpenMetrics([
    { name: "requests", type: "counter", help: "They.", samples: requests.samples },
    { name: "seconds", type: "histogram", help: "How long.", histogram },
    { name: "busy", type: "gauge", help: "Now.", samples: [{ value: 3 }] },
    { name: "build", type: "info", help: "Which.", samples: [{ labels: { version: "1" }, value: 1 }] },
  ]);
  expect(text).toBe(`# TYPE requests counter
# HELP requests They.
requests_total{operation="a",status="200"} 3
requests_total{operation="b",status="500"} 1
# TYPE seconds histogram
# HELP seconds How long.
seconds_bucket{le="0.5"} 2
seconds_bucket{le="1.0"} 3
seconds_bucket{le="+Inf"} 4
seconds_count 4
seconds_sum 10.3
# TYPE busy gauge
# HELP busy Now.
busy 3
# TYPE build info
# HELP build Which.
build_info{version="1"} 1
# EOF
`);
});

test("whatever labels, help and values hold comes back as it was", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 20 });
  const value = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(Infinity, -Infinity, 1e300, 1e-300));
  fc.assert(
    fc.property(text, fc.uniqueArray(text, { minLength: 1, maxLength: 5 }), value, (help, labels, number) => {
      const plainHelp = help.replaceAll("\r", "");
      const samples = labels.map((label) => ({ labels: { label }, value: number }));
      const written = renderOpenMetrics([{ name: "x", type: "gauge", help: plainHelp, samples }]);
      const family = parseOpenMetrics(written).get("x");
      expect(family?.help).toBe(plainHelp);
      expect([...(family?.samples ?? [])]).toEqual(
        labels.map((label) => [`x${JSON.stringify({ label })}`, number + 0]),
      );
    }),
  );
});

describe("the reader refuses what is not allowed", () => {
  test.each([
    ["no end", "# TYPE a gauge\na 1\n"],
    ["a counter without _total", "# TYPE a counter\na 1\n# EOF\n"],
    ["a sample of no family", "a 1\n# EOF\n"],
    ["the same sample twice", "# TYPE a gauge\na 1\na 2\n# EOF\n"],
    ["the same family twice", "# TYPE a gauge\n# TYPE a gauge\n# EOF\n"],
    ["a quote in a label", '# TYPE a gauge\na{b="""} 1\n# EOF\n'],
    ["no value", "# TYPE a gauge\na \n# EOF\n"],
    ["a negative counter", "# TYPE a counter\na_total -1\n# EOF\n"],
  ])("%s", (_name, text) => {
    expect(() => parseOpenMetrics(text)).toThrow();
  });
});
