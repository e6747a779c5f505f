// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiWire
import Synchronization
import TestSupport
import Testing

/// The real program against a server that sends more than anyone can read.
///
/// With `FLOOD_SECONDS`, every command runs that long under every flood, and the measures are
/// printed. Without it, only one command of each way to read a server runs, under few floods.
@Suite(.fewAtOnce, .enabled(if: !isSanitized)) struct FloodTests {
  struct Command: Sendable, CustomTestStringConvertible {
    var words: [String]
    var isOnTerminal = false
    /// Whether it is the one that reads a server in its way.
    var isFirst = false

    var testDescription: String { words.joined(separator: " ") }
    var readsSessions: Bool { ["watch", "sessions", "status"].contains(words[0]) }

    init(_ line: String, onTerminal isOnTerminal: Bool = false, isFirst: Bool = false) {
      words = line.split(separator: " ").map(String.init)
      (self.isOnTerminal, self.isFirst) = (isOnTerminal, isFirst)
    }
  }

  /// In MB.
  private static let mostMemory = 100.0

  private static let variable = ProcessInfo.processInfo.environment["FLOOD_SECONDS"]
  private static let seconds = variable.flatMap(Double.init)

  static let commands = [
    Command("ask -w demo --wait hello", isFirst: true), Command("ask -s last --wait hello"),
    Command("ask -w demo --timeout 1s hello"), Command("follow last", isFirst: true),
    Command("chat -s last", onTerminal: true, isFirst: true),
    Command("console", onTerminal: true, isFirst: true),
    Command("watch --no-notifications", isFirst: true),
    Command("sessions", isFirst: true),
    Command("approvals"), Command("status", isFirst: true), Command("show last"),
    Command("stop last"), Command("search hello"), Command("outbox flush"),
    Command("answer last yes"),
  ]

  @Test(
    "no server makes a command hold 100 MB, or use a core for long",
    arguments: commands.filter { seconds != nil || $0.isFirst },
    [Dialect.multiplexed, .sessionSockets]
  )
  func table(command: Command, dialect: Dialect) async throws {
    let scene = try await Scene(dialect)
    for flood in Self.seconds == nil ? Flood.few : Flood.all {
      // A command needs its whole time to read every session of a list.
      let time = flood.isList && command.readsSessions ? 5 : 0.7
      let measures = try await scene.run(command, under: flood, for: Self.seconds ?? time)
      let row = "\(dialect.stream)\t\(command.testDescription)\t\(flood.name)\t\(measures)"
      #expect(measures.peak < Self.mostMemory, "\(row)")
      guard let seconds = Self.seconds else { continue }
      print("FLOOD\t\(row)")
      // A burst is handled at once; then half of the time remains for others.
      #expect(measures.processorTime < 2 + 0.6 * seconds, "\(row)")
    }
  }

  /// A home that is paired with a server, which becomes hostile.
  private final class Scene: Sendable {
    private let home: Home
    private let flood = Mutex<Flood?>(nil)
    private let server = Mutex<RunningServer?>(nil)

    init(_ dialect: Dialect) async throws {
      home = try Home()
      let running = try await home.paired { configuration in
        configuration.dialect = dialect
        configuration.limits.loadedSessionsPerWorkspace = 1000
        configuration.limits.loadedSessions = 1000
        configuration.interceptor = { [weak self] step in
          self?.flood.withLock(\.self)?.interceptor(step) ?? .proceed
        }
      }
      server.withLock { $0 = running }
      _ = try await home.session(asking: "silent")
    }

    /// Runs a command until its end, or terminates it.
    func run(
      _ command: Command,
      under flood: Flood,
      for seconds: Double
    ) async throws -> Consumption.Measures {
      self.flood.withLock { $0 = flood }
      defer { self.flood.withLock { $0 = nil } }
      let consumption = Consumption(of: Self.program, in: home.folder)
      let words = ["/usr/bin/timeout", "--foreground", "\(seconds)", Self.program] + command.words
      let status =
        command.isOnTerminal
        ? try await ProgramOnTerminal(words, in: home).status() : try await home.run(words).status
      #expect(status != 64, "\(command) is no command line")
      return consumption.end()
    }

    private static let program =
      ProcessInfo.processInfo.environment["FLOOD_PROGRAM"] ?? Executable.oppi
  }
}
