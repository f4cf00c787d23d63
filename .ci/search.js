// Ask the search of the built site: `node .ci/search.js SITE QUERIES`, with QUERIES as JSON.
//
// It runs the scripts of the site, without a browser, and prints the pages of the hits of each
// query as JSON, best first.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [site, queries] = process.argv.slice(2);
const page = {
  document: { getElementById: () => null },
  URLSearchParams,
  SPHINX_HIGHLIGHT_ENABLED: false,
  _: (text) => text,
  _ready: () => {},
};
page.window = page;
vm.createContext(page);

// Before version 9, Sphinx has the stemmer in `language_data.js`, whose constants only others see.
const scripts = ["_static/searchtools.js", "_static/language_data.js", "searchindex.js"];
vm.runInContext(
  scripts.map((name) => fs.readFileSync(path.join(site, name), "utf8")).join("\n"),
  page,
);

const ask = (query) => {
  page.location = { search: "?" + new URLSearchParams({ q: query }) };
  page.query = query;
  const hits = vm.runInContext("Search._performSearch(...Search._parseQuery(query))", page);
  return hits.reverse().map(([name]) => name);
};
const found = JSON.parse(queries).map((query) => [query, ask(query)]);
console.log(JSON.stringify(Object.fromEntries(found)));
