// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiClient

/// A machine with a shortcut that runs on a schedule.
struct ScheduleMachine: Sendable {
  static let manager = ["TZ": "UTC", "XDG_RUNTIME_DIR": "/run/user/1000"]

  let world: World
  let server: VirtualServer
  let environment: [String: String]

  let schedulers: VirtualSchedulers

  @discardableResult
  func oppi(
    _ words: String...,
    environment: [String: String] = [:],
    exits status: Int32? = nil,
    saying text: String? = nil,
    at location: SourceLocation = #_sourceLocation,
    _ isExpected: (Program.Outcome) -> Bool = { _ in true }
  ) async -> Program.Outcome {
    await oppi(
      words,
      environment: environment,
      exits: status,
      saying: text,
      at: location,
      isExpected
    )
  }

  @discardableResult
  func oppi(
    _ words: [String],
    environment: [String: String] = [:],
    exits status: Int32? = nil,
    saying text: String? = nil,
    at location: SourceLocation = #_sourceLocation,
    _ isExpected: (Program.Outcome) -> Bool = { _ in true }
  ) async -> Program.Outcome {
    let variables = self.environment.merging(environment) { $1 }
    return await world.oppi(
      words,
      environment: variables,
      exits: status,
      saying: text,
      at: location,
      isExpected
    )
  }

  /// Adds a schedule for the shortcut, every hour by default.
  func add(_ words: [String] = []) async throws {
    let interval = words.contains("--every") ? [] : ["--every", "1h"]
    let added = await oppi(["schedule", "add", "standup"] + interval + words)
    try #require(added.status == 0, "\(added)")
  }

  /// Runs the shortcut as its timer does.
  func fire() async -> Program.Outcome { await oppi("run", "standup", "--scheduled") }

  /// Runs the shortcut as its timer does, at the next start of a minute of the hour.
  @discardableResult
  func fire(atMinute minute: Int) async throws -> Program.Outcome {
    try await wait(untilMinute: minute)
    return await fire()
  }

  func text(at path: String) -> String {
    String(decoding: world.disk.contents(of: path) ?? [], as: UTF8.self)
  }

  /// The first schedule of the list.
  func row() async -> JSONValue {
    await oppi("schedule", "list", "--json").json["schedules"].array?.first ?? .null
  }

  /// The states of the slots, oldest first.
  func states() async -> [String] {
    (await row()["runs"].array ?? []).map { $0["state"].string ?? "" }
  }

  /// Waits until the next start of a minute of the hour.
  func wait(untilMinute minute: Int) async throws {
    let seconds = world.loop.timestamp().seconds
    let rest = (minute * 60 - seconds % 3600 + 3600) % 3600
    try await world.pass(.seconds(rest == 0 ? 3600 : rest))
  }
}

/// Runs a body on a machine with a shortcut, with or without the systemd user manager, and with a
/// schedule if its options are given.
func inSchedule(
  _ dialect: Dialect = .deviceKeys,
  hasManager: Bool = true,
  shortcut: [String] = [],
  prompt: String = "hello",
  added schedule: [String]? = nil,
  _ body: @escaping @Sendable (ScheduleMachine) async throws -> Void
) {
  inWorld(dialect) { configuration in
    configuration.approvalTimeout = nil
  } _: { world, server in
    if hasManager { world.disk.put([], at: "/run/user/1000/systemd/private") }
    let machine = ScheduleMachine(
      world: world,
      server: server,
      environment: hasManager ? ScheduleMachine.manager : ["TZ": "UTC"],
      schedulers: VirtualSchedulers(on: world.programs) { world.disk.contents(of: $0) }
    )
    let words = ["shortcuts", "add", "standup", "-w", "demo"] + shortcut + [prompt]
    await machine.oppi(words, exits: 0)
    if let schedule { try await machine.add(schedule) }
    try await body(machine)
  }
}
