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

  @Test("in a removed folder an ask uses the default workspace")
  func gone() async throws {
    let (home, server) = try await Home.paired()
    let outcome = try await home.shell(
      """
      oppi config here webapp && oppi config set workspace demo
      mkdir gone && cd gone && rmdir ../gone
      oppi ask -q hi && oppi ask -q -w webapp hi && oppi new --print-target && oppi config
      oppi config here demo; echo $?
      """
    )
    #expect(outcome.output.hasSuffix("\n66\n"), "\(outcome)")
    #expect(outcome.errors.contains("the current folder no longer exists"), "\(outcome)")
    let made = server.journal.requests.filter { $0.path.hasSuffix("/sessions") }.map(\.path)
    let places = server.configuration.workspaces.prefix(2).map { "/workspaces/\($0.id)/sessions" }
    #expect(made == places, "\(outcome)")
  }
}
