// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct SentencesTests {
  @Test("a mark between two texts is omitted after a punctuation mark")
  func marks() {
    #expect("Run it?".joined(by: ": ", to: "rm a") == "Run it? rm a")
    #expect("Run it".joined(by: ": ", to: "rm a") == "Run it: rm a")
    #expect(["Which tests?", "Which lint", "Done."].sentence() == "Which tests? Which lint; Done.")
    #expect([String]().sentence().isEmpty)
  }
}
