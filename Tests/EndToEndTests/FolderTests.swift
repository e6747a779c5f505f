// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiWire
import TestSupport
import Testing

/// The default workspaces of real folders.
@Suite(.fewAtOnce) struct FolderTests {
  @Test("a folder reached through a link matches by both of its paths")
  func links() async throws {
    let (home, server) = try await Home.paired()
    defer { _ = server }
    let outcome = try await home.shell(
      """
      mkdir -p src data/api/deep data/web && ln -s ../data/api src/api
      (cd src/api && oppi config here webapp && cd deep && oppi config here && cd ../../../data/api &&
        oppi config here; echo $?)
      (cd data/web && oppi config here demo && cd ~/data && ln -s web other && cd other &&
        oppi ask -n hi | head -n1)
      """
    )
    let file = home.folder.appending(path: ".config/oppi/config.json").path
    #expect(
      outcome.outputLines == [
        "webapp\tdirectories.\"~/src/api\" in \(file)", "66", "to\tstudio/demo",
      ],
      "\(outcome)"
    )
  }
}
