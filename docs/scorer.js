// How the search ranks pages: those whose titles hold the words that are asked come first.
var Scorer = {
  score: ([, title, anchor, , score, , kind]) => {
    const stemmer = new Stemmer();
    const stems = (text) => splitQuery(text.toLowerCase()).map((word) => stemmer.stemWord(word));
    const asked = stems(new URLSearchParams(window.location.search).get("q") || "");
    const named = new Set(stems(title));
    const share = asked.filter((stem) => named.has(stem)).length / Math.max(asked.length, 1);
    // Sections have titles such as "Make columns > split"; objects are pages of the API.
    return score + (kind === "object" || anchor ? 0 : 60 * share);
  },
  // The defaults of Sphinx.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
