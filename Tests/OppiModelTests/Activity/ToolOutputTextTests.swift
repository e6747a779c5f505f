// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText

@Suite struct ToolOutputTextTests {
  @Test("lines are counted across pieces")
  func lines() {
    var output = ToolOutputText()
    #expect(output.totalLines == 0)
    for piece in ["a", "b\nc", "", "d\n", "\n", "e"] { output.append(piece) }
    #expect(output.text == "ab\ncd\n\ne")
    #expect(output.totalLines == 4)
    #expect(output.totalBytes == 8)
    #expect(!output.isTruncated)
  }

  @Test("the suffix is kept and never starts inside a character")
  func end() {
    var output = ToolOutputText()
    for _ in 0..<10 { output.append("x" + String(repeating: "é😀", count: 20_000)) }
    #expect(output.text.utf8.count <= ToolOutputText.limit)
    #expect(output.text.utf8.count > ToolOutputText.limit - 4)
    #expect(!output.text.contains("\u{FFFD}"))
    #expect(output.text.hasSuffix("é😀"))
    #expect(output.isTruncated)
    #expect(output.kept.utf8.count <= 2 * ToolOutputText.limit)
  }

  @Test(
    "the suffix does not depend on the size of the pieces",
    arguments: [1, 7, 999, 70_000]
  )
  func pieces(size: Int) {
    let whole = Array(String(repeating: "0123456789\n", count: 20_000))
    var output = ToolOutputText()
    for start in stride(from: 0, to: whole.count, by: size) {
      output.append(String(whole[start..<min(start + size, whole.count)]))
    }
    #expect(output.text == String(whole).tail(bytes: ToolOutputText.limit))
    #expect(output.totalLines == 20_000)
  }

  @Test("a replacement sets the text and the total size from the server")
  func replacement() {
    var output = ToolOutputText()
    output.append("before")
    output.replace(with: "c\nd\n", totalBytes: nil)
    #expect(output.totalLines == 2)
    #expect(!output.isTruncated)
    output.replace(with: "y\nz\n", totalBytes: 1000)
    #expect(output.text == "y\nz\n")
    #expect(output.totalLines == nil)
    #expect(output.isTruncated)
    output.complete(totalBytes: 1001, totalLines: 500)
    #expect(output.totalBytes == 1001)
    #expect(output.totalLines == 500)
  }

  @Test("a total of the server that is below what was received does not count")
  func lowTotal() {
    var output = ToolOutputText()
    output.replace(with: "abc", totalBytes: 1)
    #expect(output.totalBytes == 3 && output.totalLines == 1 && !output.isTruncated)
    output.complete(totalBytes: 2, totalLines: nil)
    #expect(output.totalBytes == 3 && output.totalLines == 1)
  }
}

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
      // The lines around a change are those of the file.
      (#"{"oldText":"a\nb\nc","newText":"a\nB\nc"}"#, LineChange(added: 1, removed: 1)),
      (#"{"oldText":"a\nx\nb","newText":"A\nx\nB"}"#, LineChange(added: 2, removed: 2)),
      (#"{"oldText":"a\nb\n","newText":"a\n"}"#, LineChange(added: 0, removed: 1)),
      (#"{"oldText":"a\n","newText":""}"#, LineChange(added: 0, removed: 1)),
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

@Suite struct TodoProgressTests {
  private func call(_ arguments: JSONValue, _ details: JSONValue = .null) -> ToolCallActivity {
    var call = ToolCallActivity(id: "t", tool: "todo", arguments: arguments, state: .running)
    call.details = details
    return call
  }

  @Test("items use several names for their text and state")
  func words() throws {
    let list: JSONValue = [
      ["content": "a", "status": "completed"], ["text": "b", "done": true],
      ["content": "c", "status": "pending"], ["title": "d", "status": "in_progress"],
    ]
    let progress = try #require(TodoProgress(call(["todos": list])))
    #expect(progress.completed == 2)
    #expect(progress.total == 4)
    #expect(progress.current == "d")
  }

  @Test("without an item in progress the first open one is current; a cancelled one is not open")
  func openItems() throws {
    let list: JSONValue = [
      ["text": "a", "status": "cancelled"], ["text": "b"], ["text": "c", "status": "pending"],
    ]
    let progress = try #require(TodoProgress(call(["todos": list])))
    #expect(progress == TodoProgress(completed: 1, total: 3, current: "b"))
  }

  @Test("the reported list has precedence over the arguments")
  func details() throws {
    let progress = try #require(
      TodoProgress(call(["todos": [["text": "a"]]], ["todos": [["text": "a", "done": true]]]))
    )
    #expect(progress.completed == 1)
    #expect(progress.current == nil)
  }

  @Test("a call without a list has no progress")
  func none() {
    #expect(TodoProgress(call(["action": "add"])) == nil)
  }
}
