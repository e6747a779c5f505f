// SPDX-License-Identifier: MIT

import OppiModel
import TestSupport
import Testing

@Suite struct LaunchTargetTests {
  @Test(
    "a target is recent for 60 s, and after the clock was set back",
    arguments: [(0, true), (59, true), (60, true), (61, false), (-3600, true)]
  )
  func recent(age: Int, isRecent: Bool) throws {
    let workspace = try #require(
      WorkspaceReference(
        serverID: Fingerprint(digest: Array(repeating: 1, count: 32)),
        workspaceID: "ws-1"
      )
    )
    let target = LaunchTarget(workspace: workspace, timestamp: .noon)
    #expect(target.isRecent(at: .ago(-age)) == isRecent)
    #expect(target.age(at: .ago(-age)) == max(0, age))
  }
}
