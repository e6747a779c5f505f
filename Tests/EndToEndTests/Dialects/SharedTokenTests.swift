// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import HTTPCodec
import Synchronization
import TestSupport
import Testing

/// The tokens that the processes of a user share, with the real program over TLS.
@Suite("Shared tokens", .fewAtOnce, .needs("openssl"))
struct SharedTokenTests {
  /// Whether the processes know that the token has expired.
  @Test("fifty processes that start together request one", arguments: [true, false])
  func crowd(isKnown: Bool) async throws {
    let (home, server) = try await Home.paired(over: .deviceKeys)
    server.expireTokens()
    if isKnown { try home.ageTokens() }
    let outcome = try await home.shell(
      """
      for i in $(seq 50); do oppi models -q --timeout 60 -w demo >/dev/null || echo failed & done
      wait
      """
    )
    #expect(outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    #expect(server.refreshes == 1)
    #expect(server.refreshRequests == 1)
    #expect(server.journal.requests.count { $0.path == "/models" && $0.status == 200 } == 50)
    #expect(server.journal.requests.contains { $0.status == 401 } == !isKnown)
  }

  @Test(
    "a process that is killed or stopped while it requests one does not block others",
    arguments: ["KILL", "STOP"]
  )
  func held(signal: String) async throws {
    let home = try Home()
    let first = Atomic(true)
    let server = try await home.paired(over: .deviceKeys) { configuration in
      configuration.interceptor = { step in
        guard case .request(let request, _) = step, request.target == "/auth/refresh",
          first.exchange(false, ordering: .relaxed)
        else { return .proceed }
        _ = FileManager.default.createFile(atPath: home.folder.path + "/sent", contents: nil)
        return .hang
      }
    }
    server.expireTokens()
    let outcome = try await home.shell(
      """
      set -m
      oppi models -q --timeout 60 -w demo >/dev/null 2>&1 & held=$!
      \(Home.until("[ -e sent ]"))
      kill -\(signal) $held
      begin=$(date +%s%N)
      for i in 1 2 3 4; do oppi models -q -w demo >/dev/null || echo failed & others="$others $!"; done
      wait $others
      echo $((($(date +%s%N) - begin) / 1000000))
      kill -KILL $held 2>/dev/null; wait
      ls -A .local/state/oppi
      """,
      shell: "/bin/bash"
    )
    #expect(!outcome.output.contains("failed"), "\(outcome)")
    let elapsed = try #require(outcome.outputLines.first.flatMap { Int($0) }, "\(outcome)")
    // At most the default time limit of a command: the others do not wait for the holder's.
    #expect(elapsed < 10_000, "\(outcome)")
    #expect(signal == "KILL" || elapsed >= 1900, "\(outcome)")
    #expect(server.refreshes == 1)
  }
}

extension RunningServer {
  var refreshRequests: Int { journal.requests.count { $0.path == "/auth/refresh" } }
}

extension Home {
  /// The file with the tokens of all servers.
  var tokens: URL { folder.appending(path: ".local/state/oppi/access-tokens.json") }

  /// Sets the end of all tokens to a moment in the past.
  func ageTokens() throws {
    let text = try String(contentsOf: tokens, encoding: .utf8)
    let old = text.replacing(#/"expiresAt": *\d+,\s*"issuedAt": *\d+/#) { _ in
      #""expiresAt": 2, "issuedAt": 1"#
    }
    #expect(old != text)
    try Data(old.utf8).write(to: tokens)
  }
}
