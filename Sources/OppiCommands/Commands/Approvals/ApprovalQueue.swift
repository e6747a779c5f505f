// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiSystem

/// What waits for approval on all servers at a moment: the highest risk first, then what expires
/// soonest.
struct ApprovalQueue {
  let rows: [ApprovalRow]
  /// Why servers could not be asked.
  let failures: FleetFailures
  /// The servers that could be.
  let answered: Set<Fingerprint>

  /// Asks the servers that the command is about.
  ///
  /// - Parameters:
  ///   - depth: `.lists` for what the sessions are about, too; `.requests` where that is not needed.
  ///   - context: The world.
  /// - Returns: What waits.
  /// - Throws: Where nothing is paired, or the question was cut short.
  static func ask(
    _ depth: OverviewQuery.Depth = .lists,
    in context: Context
  ) async throws -> ApprovalQueue {
    let fleet = try context.fleet()
    guard !fleet.servers.isEmpty else { throw IntentError.notPaired }
    let answers = try await OverviewQuery(fleet).answers(depth, known: context.knownTurns)
    if depth != .requests { context.remember(answers.compactMap { try? $0.result.get() }) }
    let now = context.now()
    let cached = await context.cache.load()
    let rows = answers.flatMap { answer -> [ApprovalRow] in
      guard case .success(let overview) = answer.result else { return [] }
      let workspaces = cached[overview.server.id]?.workspaces ?? []
      return ApprovalRow.all(in: overview, at: now).map { row in
        var row = row
        let id = row.request.workspaceID ?? row.session?.workspaceID
        row.workspace = workspaces.first { $0.id == id }
        return row
      }
    }
    return ApprovalQueue(
      rows: rows.sorted { $0.approval < $1.approval },
      failures: FleetFailures(answers),
      answered: Set(answers.filter { $0.error == nil }.map(\.server.id))
    )
  }

  /// Finds the request that a user names: by its id, or the start of it that no other has.
  ///
  /// - Throws: `requestGone` where there is none, the failure of a server where it may be there, and
  ///   `ambiguousName` where several begin so.
  func request(named name: RequestName) throws(OppiError) -> ApprovalRow {
    let exact = rows.filter { $0.request.id == name.text }
    let matches = exact.isEmpty ? rows.filter { $0.request.id.hasPrefix(name.text) } : exact
    // Another server may have one that begins so.
    if exact.isEmpty, let error = failures.errors.first { throw error }
    if let match = matches.first, matches.count == 1 { return match }
    guard matches.isEmpty else {
      let candidates = matches.prefix(10).map { row in
        "\(row.request.id)  \(row.server.name)  \(row.approval.summary)"
      }
      let isOnSeveral = Set(matches.map(\.server.id)).count > 1
      throw OppiError(
        .ambiguousName,
        "\(name.text) fits several requests",
        hints: candidates + (isOnSeveral ? ["choose a server with --server NAME"] : [])
      )
    }
    // Not found is only the truth where every server was asked.
    if let error = failures.errors.first { throw error }
    throw .requestGone(name.text)
  }
}

extension OppiError {
  /// A request is not pending any more, or never was.
  static func requestGone(_ id: String) -> OppiError {
    OppiError(
      .requestGone,
      "no request \(id.safeLine(limit: 40)) waits: it was decided already, has expired, or is gone",
      hints: ["see what waits with: oppi approvals", "what was decided: oppi approvals log"],
      details: ["requestId": .string(id)]
    )
  }
}

extension OppiError {
  /// Another call waits in the place of the one that was shown.
  static func requestChanged(_ id: String) -> OppiError {
    OppiError(
      .requestGone,
      "another call waits as \(id.safeLine(limit: 40)) by now; nothing was decided",
      hints: ["see what waits with: oppi approvals"],
      details: ["requestId": .string(id)]
    )
  }
}

/// The id of a request, or the start of it.
struct RequestName: ArgumentValue, Equatable {
  static let placeholder = "ID"
  static let isIdentifier = true
  /// Fewer characters may soon be another request's, too.
  private static let leastLength = 4

  var text: String

  init(argument: String) throws(ArgumentValueError) {
    guard WireID.isValid(argument), argument.count >= Self.leastLength else {
      throw ArgumentValueError("expects a request's id, or at least the first 4 characters of it")
    }
    text = argument
  }
}
