// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct OwnPromptTests {
  private static let prompt = OwnPrompt(id: "1", text: " do it\n", isQueued: false)

  @Test(
    "a message with the same text matches despite surrounding blanks and appended images",
    arguments: ["do it", " do it ", "do it\n", "do it\n\ndata:image/png;base64,AAAA"]
  )
  func same(text: String) { #expect(Self.prompt.isText(of: text)) }

  @Test(
    "a message with a similar text does not match",
    arguments: ["do i", "do it now", "do its", "please do it", "Do it", "", "do it\ndat"]
  )
  func others(text: String) {
    #expect(!Self.prompt.isText(of: text))
    #expect(Self.prompt.isOvertaken(by: text))
  }

  @Test("a prompt that names a template matches any text")
  func template() {
    let prompt = OwnPrompt(id: "1", text: "/review", isQueued: false)
    #expect(!prompt.isOvertaken(by: "Review the changes"))
    #expect(!OwnPrompt(id: "1", text: "", isQueued: false).isOvertaken(by: "anything"))
  }
}
