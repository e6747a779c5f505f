// SPDX-License-Identifier: MIT

import OppiModel
import Testing

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
