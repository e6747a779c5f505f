// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import Synchronization
import TestSupport
import Testing

/// Real programs on one real outbox: concurrent flushes, and kills at random moments.
///
/// OPPI_OUTBOX_SCALE=10 multiplies programs, prompts and rounds by ten, for manual runs.
@Suite(.fewAtOnce) struct OutboxEndToEndTests {
  private static let scale =
    ProcessInfo.processInfo.environment["OPPI_OUTBOX_SCALE"].flatMap { Int($0) } ?? 1

  /// How often each prompt ran, over the journals of a server's restarts.
  private func runs(_ journals: [Journal]) -> [String: Int] {
    Dictionary(journals.flatMap(\.runs).map { ($0.text, 1) }, uniquingKeysWith: +)
  }

  /// The states of the prompts in the outbox, by key.
  private func states(_ home: Home) async throws -> [String: String] {
    let list = try await home.oppi("outbox", "list", "--all", "--json")
    try #require(list.status == 0, "\(list)")
    let prompts = try #require(try list.json()["prompts"] as? [[String: Any]])
    return Dictionary(
      prompts.map { ($0["key"] as? String ?? "", $0["state"] as? String ?? "") }
    ) { $1 }
  }

  @Test("many concurrent flushes of one outbox deliver each prompt once")
  func many() async throws {
    let (programs, prompts) = (5 * Self.scale, 20 * Self.scale)
    let (home, server) = try await Home.paired {
      $0.limits.loadedSessionsPerWorkspace = prompts
      $0.limits.loadedSessions = prompts
    }
    _ = try await home.oppi("workspaces")
    let configuration = server.configuration
    let remains = await server.crash()
    for number in 1...prompts {
      let kept = try await home.oppi("ask", "-q", "--queue", "-w", "demo", "prompt \(number)")
      try #require(kept.status == 0 && kept.output.isEmpty, "\(kept)")
    }
    let again = try FakeServer.start(configuration, from: remains)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...programs {
        group.addTask { _ = try await home.oppi("outbox", "flush", "-q") }
      }
      try await group.waitForAll()
    }
    // A flush may leave a prompt to another one that is working on it.
    try await home.oppi("outbox", "flush", exits: 0)
    let counts = runs([again.journal])
    #expect(counts.count == prompts)
    #expect(counts.values.allSatisfy { $0 == 1 }, "\(counts)")
    #expect(try await states(home) == [:])
  }

  @Test("SIGTERM and SIGHUP keep a queued prompt, and Ctrl-C does not")
  func ended() async throws {
    let isSilent = Mutex(false)
    let (home, server) = try await Home.paired {
      $0.interceptor = { step in
        step.isCreation && isSilent.withLock(\.self) ? .hang : .proceed
      }
    }
    _ = try await home.oppi("workspaces")
    isSilent.withLock { $0 = true }
    for (signal, status) in [("INT", 130), ("TERM", 143), ("HUP", 143)] {
      let ended = try await home.shell(
        """
        set -m
        oppi ask --timeout 60 -w demo --queue --key '\(signal)' 'hello \(signal)' & asked=$!
        \(Home.until("grep -qs '\"mayHaveSession\": *true' .local/state/oppi/outbox/\(signal).json"))
        kill -\(signal) $asked; wait $asked
        """,
        shell: "/bin/bash"
      )
      #expect(ended.status == status, "\(ended)")
      #expect(ended.errors.contains("queued as \(signal)") == (signal != "INT"), "\(ended)")
    }
    #expect(try await states(home) == ["TERM": "outbox", "HUP": "outbox"])
    isSilent.withLock { $0 = false }
    #expect(try await home.oppi("outbox", "flush").status == 0)
    #expect(runs([server.journal]).keys.sorted() == ["hello HUP", "hello TERM"])
  }

  @Test("kills at any moment and server failures neither lose a prompt nor run it twice")
  func killed() async throws {
    let rounds = 25 * Self.scale
    let chance = Mutex(SeededGenerator(seed: 7))
    @Sendable func number(below limit: UInt64) -> UInt64 { chance.withLock { $0.next() % limit } }
    let isTroubled = Mutex(true)
    let (home, server) = try await Home.paired { configuration in
      configuration.limits.loadedSessionsPerWorkspace = rounds * 2
      configuration.limits.loadedSessions = rounds * 2
      configuration.interceptor = { step in
        guard isTroubled.withLock({ $0 }), number(below: 8) == 0 else { return .proceed }
        return number(below: 2) == 0 ? .drop : .performThenDrop
      }
    }
    isTroubled.withLock { $0 = false }
    _ = try await home.oppi("workspaces")
    let begin = ContinuousClock.now
    _ = try await home.oppi("ask", "-q", "--queue", "--key", "k0", "-w", "demo", "prompt 0")
    // Kill within twice the time that an undisturbed ask takes.
    let limit = max(10, UInt64((ContinuousClock.now - begin) / .milliseconds(1)) * 2)
    isTroubled.withLock { $0 = true }
    var isKept: [String: Bool] = [:]
    var kills = 0
    for round in 1...rounds {
      let delay = "\(Double(1 + number(below: limit)) / 1000)"
      let key = "k\(round)"
      let ask = try await home.run([
        "/usr/bin/timeout", "-s", "KILL", delay, Executable.oppi, "ask", "-q", "--queue", "--key",
        key, "-w",
        "demo", "prompt \(round)",
      ])
      kills += ask.status == 137 ? 1 : 0
      if [0, 6].contains(ask.status) { isKept[key] = true }
      if [65, 69, 75, 76].contains(ask.status) { isKept[key] = false }
      _ = try await home.run([
        "/usr/bin/timeout", "-s", "KILL", delay, Executable.oppi, "outbox", "flush", "-q",
      ])
    }
    isTroubled.withLock { $0 = false }
    for _ in 1...3 { _ = try await home.oppi("outbox", "flush", "-q") }
    let counts = runs([server.journal])
    let left = try await states(home)
    #expect(counts.values.allSatisfy { $0 == 1 }, "\(counts)")
    #expect(kills > 0 && kills < rounds, "otherwise the moments test nothing")
    for (key, isKept) in isKept {
      let runs = counts["prompt \(key.dropFirst())"] ?? 0
      let state = left[key]
      let isSettled = runs == 1 || state == "unknown" || state == "failed"
      #expect(!isKept || isSettled, "\(key) is \(state ?? "gone") and ran \(runs) times")
      #expect(isKept || runs == 0, "\(key) was refused, but ran")
    }
    #expect(!left.values.contains { ["outbox", "checking"].contains($0) }, "\(left)")
  }
}
