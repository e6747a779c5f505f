// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import OppiModel
import Synchronization
import TestSupport
import Testing

/// The real program against a server that sends more than anyone can read.
@Suite(.fewAtOnce) struct FloodTests {
  /// A command, and how long it may run: either it has a deadline of its own, or it is terminated.
  struct Command: Sendable, CustomTestStringConvertible {
    var words: [String]
    var isOnTerminal = false

    var testDescription: String { words.joined(separator: " ") }

    init(_ line: String, onTerminal isOnTerminal: Bool = false) {
      words = line.split(separator: " ").map(String.init)
      self.isOnTerminal = isOnTerminal
    }
  }

  static let commands = [
    Command("ask -w demo --wait hello"),
    Command("ask -s last --wait hello"),
    Command("ask -w demo hello"),
    Command("follow last"),
    Command("chat last", onTerminal: true),
    Command("console", onTerminal: true),
    Command("watch --no-notifications"),
    Command("sessions"),
    Command("approvals"),
    Command("status"),
    Command("show last"),
    Command("stop last"),
    Command("search hello"),
    Command("outbox flush"),
    Command("answer last yes"),
  ]

  @Test("no flood makes a command hold more than 100 MB", arguments: commands)
  func table(command: Command) async throws {
    let environment = ProcessInfo.processInfo.environment
    let seconds = environment["FLOOD_SECONDS"].flatMap(Double.init) ?? 1
    let only = environment["FLOODS"]
    for dialect in [Dialect.sessionSockets, .multiplexed] {
      let scene = try await Scene(dialect)
      for flood in Flood.streams + Flood.answers {
        if let only, !flood.name.contains(only) { continue }
        let measures = try await scene.run(command, under: flood, for: seconds)
        let name = dialect == .multiplexed ? "mux" : "sockets"
        print("FLOOD\t\(name)\t\(command.testDescription)\t\(flood.name)\t\(measures)")
      }
    }
  }
}

extension FloodTests {
  /// A home that is paired with a server, which becomes hostile.
  final class Scene: Sendable {
    private let home: Home
    private let server: RunningServer
    private let flood: Current

    private final class Current: Sendable {
      let flood = Mutex<Flood?>(nil)
    }

    init(_ dialect: Dialect) async throws {
      home = try Home()
      let current = Current()
      flood = current
      server = try await home.paired { configuration in
        configuration.dialect = dialect
        configuration.limits.loadedSessionsPerWorkspace = 1000
        configuration.limits.loadedSessions = 1000
        configuration.interceptor = { step in
          current.flood.withLock { $0 }?.interceptor(step) ?? .proceed
        }
      }
      _ = try await home.session(asking: "silent")
    }

    func run(
      _ command: Command,
      under flood: Flood,
      for seconds: Double
    ) async throws -> Consumption.Measures {
      self.flood.flood.withLock { $0 = flood }
      defer { self.flood.flood.withLock { $0 = nil } }
      let program = ProcessInfo.processInfo.environment["FLOOD_OPPI"] ?? Executable.oppi
      let consumption = Consumption(of: program, in: home.folder)
      let words = ["/usr/bin/timeout", "--foreground", "\(seconds)", program] + command.words
      if command.isOnTerminal {
        let terminal = try ProgramOnTerminal(words, in: home)
        _ = try await terminal.status()
      } else {
        let outcome = try await home.run(words)
        if ProcessInfo.processInfo.environment["FLOOD_LOG"] != nil {
          print("OUT \(outcome.status) \(outcome.errors.prefix(200)) \(outcome.output.prefix(100))")
        }
      }
      return consumption.end()
    }
  }
}
