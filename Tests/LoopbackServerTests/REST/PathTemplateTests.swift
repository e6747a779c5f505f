// SPDX-License-Identifier: MIT

import Testing

@testable import LoopbackServer

@Suite("PathTemplate")
struct PathTemplateTests {
  private let template = PathTemplate("/workspaces/:ws/sessions/:sid")

  @Test("named places are filled, ids with any beginning")
  func match() {
    #expect(template.match("/workspaces/-a/sessions/_b") == ["ws": "-a", "sid": "_b"])
  }

  @Test(
    "another path does not match",
    arguments: [
      "/workspaces/a/sessions", "/workspaces/a/sessions/b/", "/workspaces//sessions/b",
      "/workspaces/a/session/b", "",
    ]
  )
  func mismatch(path: String) {
    #expect(template.match(path) == nil)
  }
}
