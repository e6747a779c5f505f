// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText

@Suite struct ActivityReducerToolTests {
  private var talk = Conversation()

  init() { talk.begin() }

  private func state(_ index: Int = 0) -> ToolCallState? {
    talk.activity.toolCalls.indices.contains(index) ? talk.activity.toolCalls[index].state : nil
  }

  @Test("a call is planned while its message is written, and runs when it is reported again")
  mutating func planned() {
    #expect(talk.tell(.calls("t", "bash", [:])).count == 1)
    #expect(talk.tell(.calls("t"), .calls("t")).isEmpty)
    #expect(state() == .planned)
    #expect(talk.activity.toolCalls.first?.arguments == ["command": "ls"])
    talk.tell(.says(""))
    #expect(talk.tell(.calls("t")) == [.toolStarted(talk.activity.toolCalls[0])])
    #expect(state() == .running)
  }

  @Test("an older server reports a call once, when it runs")
  mutating func unannounced() {
    talk.tell(.says("Two."))
    talk.tell(.calls("a"), .returns("a"), .calls("b"))
    #expect(state(0) == .succeeded)
    #expect(state(1) == .running)
  }

  @Test("a call after announced calls belongs to the next message")
  mutating func nextMessage() {
    talk.tell(.calls("a"), .says(""), .calls("a"), .returns("a"))
    talk.tell(.calls("b", "bash", [:]))
    #expect(state(1) == .planned)
  }

  @Test("a preview of the input is not output")
  mutating func inputPreview() {
    talk.tell(.calls("t", "write", ["content": "long"]))
    #expect(talk.tell(.prints("t", "long", replaces: true)).isEmpty)
    talk.tell(.says(""), .prints("t", "", replaces: true), .calls("t", "write"))
    talk.tell(.prints("t", "wrote it"), .returns("t", "write"))
    #expect(talk.activity.toolCalls[0].output.text == "wrote it")
  }

  @Test("a replacement of long output replaces the text before it")
  mutating func replaced() {
    talk.tell(.says(""), .calls("t"), .prints("t", "1\n2\n", replaces: true, of: 400))
    let change = talk.tell(.prints("t", "3\n4\n", replaces: true, of: 800))
    #expect(change == [.toolOutput(callID: "t", text: "3\n4\n", replaces: true)])
    #expect(talk.activity.toolCalls[0].output.text == "3\n4\n")
    #expect(talk.activity.toolCalls[0].output.totalBytes == 800)
    talk.tell(.returns("t", details: ["truncation": ["totalLines": 200, "totalBytes": 801]]))
    #expect(talk.activity.toolCalls[0].output.totalBytes == 801)
    #expect(talk.activity.toolCalls[0].output.totalLines == 200)
    #expect(talk.activity.toolCalls[0].output.isTruncated)
  }

  @Test("images are counted and not kept, and a text that begins like an image is output")
  mutating func pictures() {
    talk.tell(.says(""), .calls("t"), .prints("t", "data: none\n"))
    #expect(talk.tell(.prints("t", "data:image/png;base64,iVBORw0KGgo=")).isEmpty)
    talk.tell(.prints("t", "data:audio/wav;base64,AAAA"))
    talk.tell(.prints("t", "data:image/ has no file\n"))
    #expect(talk.activity.toolCalls[0].imageCount == 2)
    #expect(talk.activity.toolCalls[0].output.text == "data: none\ndata:image/ has no file\n")
  }

  @Test("parallel calls keep their outputs apart")
  mutating func parallel() {
    talk.tell(.calls("a"), .calls("b"), .says(""), .calls("a"), .calls("b"))
    talk.tell(.prints("b", "two"), .prints("a", "one"), .returns("b", isError: true))
    #expect(talk.activity.toolCalls.map(\.output.text) == ["one", "two"])
    #expect(state(0) == .running)
    #expect(state(1) == .failed)
  }

  @Test("without ids, output and results belong to the latest open call of the tool")
  mutating func withoutIDs() {
    talk.tell(.says(""), .calls(nil, "bash"), .calls(nil, "read"))
    talk.tell(.prints(nil, "text"), .returns(nil, "read"), .returns(nil, "bash"))
    #expect(talk.activity.toolCalls.map(\.tool) == ["bash", "read"])
    #expect(talk.activity.toolCalls.map(\.state) == [.succeeded, .succeeded])
    #expect(talk.activity.toolCalls[1].output.text == "text")
    #expect(Set(talk.activity.toolCalls.map(\.id)).count == 2)
  }

  @Test("a call that is first seen at its output or its end is listed")
  mutating func unseen() {
    talk.tell(.prints("a", "x"), .returns("a", "grep"), .returns("b", isError: true))
    #expect(talk.activity.toolCalls.map(\.tool) == ["grep", "bash"])
    #expect(talk.activity.toolCalls.map(\.state) == [.succeeded, .failed])
  }

  @Test("each call that ends has started or was rejected")
  mutating func starts() {
    let unseen = talk.tell(.returns("a", "grep"))
    #expect(unseen.count == 2)
    if case .toolStarted(let call)? = unseen.first {
      #expect(call.id == "a")
    } else {
      Issue.record()
    }
    #expect(talk.tell(.prints("b", "x"), .prints("b", "y"), .returns("b")).count == 4)
    let planned = talk.tell(.calls("c"), .returns("c", isError: true))
    #expect(planned.count == 3)
    let asked = talk.tell(.asks("p"))
    if case .toolPlanned? = asked.first {} else { Issue.record() }
    #expect(talk.reducer.present.resolve(approval: "p", as: .approved).count == 2)
    #expect(talk.tell(.calls("d"), .prints("d", "x"), .returns("d")).count == 2)
  }

  @Test("a call after a text message is planned if the server announces calls")
  mutating func wordsThenCalls() {
    talk.tell(.calls("a", "bash", [:]), .calls("a"), .says(""), .calls("a"), .returns("a"))
    talk.tell(.says("Next."), .calls("b", "bash", [:]))
    #expect(state(1) == .planned)
  }

  @Test("a call that the policy forbids is rejected with the rule's name, of less than 200 bytes")
  mutating func policy() {
    let rule = "Block " + String(repeating: "x", count: 193)
    for (index, (output, isRule)) in [
      ("Block sudo", true), ("Block sudo\nno", false), (rule, true), (rule + "x", false),
    ].enumerated() {
      let id = "t\(index)"
      talk.tell(.says(""), .calls(id), .prints(id, output), .returns(id, isError: true))
      #expect(state(index) == (isRule ? .rejected(reason: output) : .failed), "\(index)")
    }
  }

  @Test("changed lines are counted even if the content is truncated")
  mutating func lineChange() {
    let content = String(repeating: "a line\n", count: 100_000)
    talk.tell(.says(""), .calls("t", "write", ["content": .string(content), "path": "x"]))
    #expect(talk.activity.toolCalls[0].lineChange == LineChange(added: 100_000, removed: 0))
    #expect(talk.activity.toolCalls[0].arguments.text().utf8.count < 64 * 1024)
    talk.tell(.calls("e", "edit"), .returns("e", "edit", details: ["diff": "-1 a\n+1 b\n+2 c"]))
    #expect(talk.activity.toolCalls[1].lineChange == LineChange(added: 2, removed: 1))
  }

  @Test("the latest calls are kept, and older calls are counted")
  mutating func manyCalls() {
    for number in 0..<250 {
      talk.tell(.says(""), .calls("t\(number)"), .returns("t\(number)"))
    }
    #expect(talk.activity.toolCalls.count == Turn.callLimit)
    #expect(talk.activity.droppedCallCount == 150)
    #expect(talk.activity.toolCalls.last?.id == "t249")
  }

  @Test("100 MB of output are kept in bounded memory")
  mutating func bigOutput() {
    let piece = String(repeating: "0123456789abcde\n", count: 64 * 1024)
    talk.tell(.says(""), .calls("t"))
    for _ in 0..<100 { talk.tell(.prints("t", piece)) }
    let output = talk.activity.toolCalls[0].output
    #expect(output.totalBytes == 100 * 1024 * 1024)
    #expect(output.totalLines == 100 * 64 * 1024)
    #expect(output.kept.utf8.count <= 2 * ToolOutputText.limit)
    #expect(output.text.hasSuffix("0123456789abcde\n"))
    talk.tell(.returns("t"))
    #expect(talk.activity.toolCalls[0].output.kept.utf8.count <= 8 * 1024)
  }
}
