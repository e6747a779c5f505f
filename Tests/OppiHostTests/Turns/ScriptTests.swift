// SPDX-License-Identifier: MIT

import Testing

@testable import OppiHost

@Suite("Scripts")
struct ScriptTests {
  @Test("no word selects two scripts")
  func uniqueWords() {
    let words = Script.table.flatMap(\.words)
    #expect(Set(words).count == words.count)
    for script in Script.table {
      for word in script.words {
        #expect(Script.matching(word).words == script.words)
      }
    }
  }
}
