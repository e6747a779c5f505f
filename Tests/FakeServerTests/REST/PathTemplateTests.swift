// SPDX-License-Identifier: MIT

import Testing

@testable import FakeServer

@Suite("PathTemplate")
struct PathTemplateTests {
  private let template = PathTemplate("/workspaces/:ws/sessions/:sid")

  @Test("placeholders match ids with any first character")
  func match() {
    #expect(template.match("/workspaces/-a/sessions/_b") == ["ws": "-a", "sid": "_b"])
  }

  @Test(
    "a different path does not match",
    arguments: [
      "/workspaces/a/sessions", "/workspaces/a/sessions/b/", "/workspaces//sessions/b",
      "/workspaces/a/session/b", "",
    ]
  )
  func mismatch(path: String) {
    #expect(template.match(path) == nil)
  }
}
