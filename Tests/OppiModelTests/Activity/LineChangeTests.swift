// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct LineChangeTests {
  @Test(
    "the lines that a call writes are counted",
    arguments: [
      (#"{"path":"x","content":"a\nb\n"}"#, LineChange(added: 2, removed: 0)),
      (#"{"path":"x","content":""}"#, LineChange(added: 0, removed: 0)),
      (#"{"oldText":"a\nb","newText":"c"}"#, LineChange(added: 1, removed: 2)),
      (
        #"{"edits":[{"oldText":"a","newText":""},{"oldText":"","newText":"b\nc"}]}"#,
        LineChange(added: 2, removed: 1)
      ),
      (#"{"path":"x"}"#, nil), ("null", nil), (#"{"oldText":3}"#, nil),
    ]
  )
  func arguments(text: String, change: LineChange?) throws {
    #expect(try LineChange(arguments: JSONValue(parsing: Array(text.utf8))) == change)
  }

  @Test("the lines of a diff are counted without its header")
  func difference() {
    let text = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n same\r\n-old\r\n+new\n+more"
    #expect(LineChange(difference: text) == LineChange(added: 2, removed: 1))
  }
}
