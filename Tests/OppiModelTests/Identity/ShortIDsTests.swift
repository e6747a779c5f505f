// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct ShortIDsTests {
  @Test("an id is shortened to 8 characters, and to more if another id starts with them")
  func starts() {
    let ids = ["0c6d2f31-aaaa-1", "0c6d2f31-aaab-1", "7f000000-0000-1", "CdJR04ap", "a"]
    let short = ShortIDs(ids)
    #expect(
      ids.map { short[$0] } == ["0c6d2f31-aaaa", "0c6d2f31-aaab", "7f000000", "CdJR04ap", "a"]
    )
    #expect(short["another-long-unknown-id"] == "another-long-unknown-id")
  }

  @Test("a short id is the start of one id only", arguments: 0..<20)
  func unique(seed: Int) {
    let digits = Array("01-")
    let ids = Set(
      (0..<200).map { number in
        String((0..<14).map { digits[(number * 31 + seed * 7 + $0 * number / 3) % 3] })
      }
    )
    let short = ShortIDs(ids)
    for id in ids where short[id] != id {
      #expect(ids.filter { $0.hasPrefix(short[id]) } == [id])
    }
  }
}
