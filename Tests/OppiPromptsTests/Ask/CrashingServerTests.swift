// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import Foundation
import OppiModel
import OppiTransport
import OppiWire
import Synchronization
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiPrompts
@testable import OppiTestSupport
@testable import OppiTurns

/// Prompts to a server that is killed and restarted repeatedly.
@Suite struct CrashingServerTests {
  /// A server that crashes after 3 to 40 requests and messages, and restarts on the same port with
  /// its stored state.
  private final class Mortal: Sendable {
    private let current: Mutex<RunningServer>
    private let finished = Mutex<[Journal]>([])
    private let isOver = Mutex(false)
    private let absence = Mutex<(isAway: Bool, waiters: [CheckedContinuation<Void, Never>])>(
      (false, [])
    )
    let port: Int
    let token: String
    let workspace: ServerWorkspace

    init(_ dialect: Dialect) throws {
      var configuration = FakeServer.Configuration()
      configuration.dialect = dialect
      configuration.limits.loadedSessions = 100_000
      configuration.limits.loadedSessionsPerWorkspace = 100_000
      let server = try FakeServer.start(configuration)
      current = Mutex(server)
      port = server.port
      token = server.ownerToken
      workspace = ServerWorkspace(
        server: PairedServer(id: server.fingerprint, name: "mortal", endpoint: try .loopback(port)),
        workspace: server.configuration.workspaces[0]
      )
    }

    /// Crashes and restarts the server until `end()` is called.
    func liveAndDie() async throws {
      defer { comeBack() }
      var random = SystemRandomNumberGenerator()
      while !isOver.withLock({ $0 }) {
        let server = current.withLock { $0 }
        let events = Int.random(in: 3...40, using: &random)
        _ = try? await server.wait { $0.messages.count + $0.requests.count >= events }
        absence.withLock { $0.isAway = true }
        let remains = await server.crash()
        finished.withLock { $0.append(server.journal) }
        let next = try FakeServer.start(server.configuration, from: remains)
        current.withLock { $0 = next }
        comeBack()
      }
    }

    private func comeBack() {
      let waiting = absence.withLock { absence in
        defer { absence = (false, []) }
        return absence.waiters
      }
      for waiter in waiting { waiter.resume() }
    }

    /// Waits while the server is down.
    func waitForReturn() async {
      await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
        let isThere = absence.withLock { absence in
          if absence.isAway { absence.waiters.append(waiter) }
          return !absence.isAway
        }
        if isThere { waiter.resume() }
      }
    }

    func end() { isOver.withLock { $0 = true } }

    /// How often each prompt ran, over all restarts.
    var runs: [String: Int] {
      let journals = finished.withLock { $0 } + [current.withLock { $0.journal }]
      return journals.flatMap(\.runs).reduce(into: [:]) { $0[$1.text, default: 0] += 1 }
    }

    var deaths: Int { finished.withLock(\.count) }
  }

  private static let notSent = "not sent"

  /// Sends `count` prompts on a separate thread; returns the reported result of each prompt.
  private static func askAll(_ count: Int, _ mortal: Mortal) async throws -> [String: String] {
    let loop = try EventLoop()
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        let told = Result {
          try loop.runInTime {
            var told: [String: String] = [:]
            for number in 1...count {
              var word: String
              // A prompt that was not sent may be sent again once the server has restarted.
              repeat {
                try Task.checkCancellation()
                await mortal.waitForReturn()
                word = await ask(number, mortal, loop)
              } while word == notSent
              told["prompt \(number)"] = word
            }
            return told
          }
        }
        continuation.resume(with: told)
      }
    }
  }

  /// The reported result of a prompt.
  private static func ask(_ number: Int, _ mortal: Mortal, _ loop: EventLoop) async -> String {
    var limits = PromptDelivery.Limits()
    limits.connect = .seconds(2)
    limits.total = .seconds(2)
    limits.secondLook = .seconds(1)
    limits.firstSign = .milliseconds(20)
    let api = IntentAPIClient(
      network: Network(loop: loop, environment: [:]),
      destination: Network.Destination(endpoint: mortal.workspace.server.endpoint),
      serverName: "mortal",
      access: FixedAccess(token: mortal.token)
    )
    let request = AskRequest(
      Prompt("prompt \(number)"),
      to: .newSession(mortal.workspace),
      clientTurnID: "turn-\(number)"
    )
    do throws(AskFailure) {
      var run = DeliveryRun(of: request, over: api, models: ModelCatalog(), limits: limits)
      return try await run.perform().outcome.state.rawValue
    } catch {
      return switch error.delivery {
      case .notSent: notSent
      case .refused: "refused"
      case .unknown: "unknown"
      }
    }
  }

  @Test(
    "no prompt runs twice and each report is correct while the server crashes repeatedly",
    arguments: Dialect.withTokens
  )
  func storm(dialect: Dialect) async throws {
    let asked = ProcessInfo.processInfo.environment["OPPI_ASKS"].flatMap(Int.init)
    let count = asked ?? 40
    let mortal = try Mortal(dialect)
    let dying = Task { try await mortal.liveAndDie() }
    let told = try await Self.askAll(count, mortal)
    mortal.end()
    dying.cancel()
    try await dying.value
    let runs = mortal.runs
    for (text, word) in told {
      let times = runs[text, default: 0]
      #expect(times <= 1, "\(text) was \(word) and ran \(times) times")
      if word == "started" { #expect(times == 1, "\(text)") }
      if word == "refused" { #expect(times == 0, "\(text)") }
    }
    #expect(mortal.deaths > 0)
    // OPPI_ASKS sets the number of prompts and prints a table of the results.
    guard asked != nil else { return }
    let table = Dictionary(grouping: told.keys) { told[$0] ?? "" }
      .map { "\($0.key): \($0.value.count), of which ran \($0.value.count { runs[$0] != nil })" }
    print("\(dialect), \(count) asks, \(mortal.deaths) kills:", table.sorted())
  }
}
