// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiSystem
import OppiText
import OppiWire

extension Services {
  /// Returns the most that the turn of a prompt may cost; `nil` without a limit.
  ///
  /// Queries the server only for a budget of a day or a month.
  ///
  /// - Throws: `.overBudget` if a budget is used up.
  func costLimit(for request: AskRequest) async throws(OppiError) -> Dollars? {
    let budget = request.prompt.budget
    // The earlier turns of an order may have left nothing.
    guard budget.turn != .zero else {
      throw OppiError(.overBudget, "--max-cost is used up; nothing was sent").because(.overBudget)
    }
    guard budget.isOfPeriods, let workspace = request.target.stored.workspace else {
      return budget.turn
    }
    let today = LocalTime.date(at: now())
    let ledger: SpendingLedger
    let sessions = try await costs(in: workspace, on: request.target.server)
    do {
      ledger = try await spending.update(workspace, with: sessions, on: today)
    } catch {
      throw .file(error)
    }
    if let excess = budget.excess(in: ledger, on: today) {
      let name = (request.target.stored.workspaceName ?? workspace.workspaceID).safeLine(limit: 120)
      throw OppiError(
        .overBudget,
        "the budget of \(excess.limitText) for \(name) is used up; "
          + "nothing was sent",
        hints: ["see the costs with: oppi history --costs"]
      )
      .because(.overBudget)
    }
    return budget.limit(in: ledger, on: today)
  }

  private func costs(
    in workspace: WorkspaceReference,
    on server: PairedServer
  ) async throws(OppiError) -> [SpendingLedger.SessionCost] {
    let api = try await connections.client(for: server)
    return Self.costs(in: workspace, of: try await api.within(answerLimit).listSessions())
  }

  static func costs(
    in workspace: WorkspaceReference,
    of sessions: [Session]
  ) -> [SpendingLedger.SessionCost] {
    sessions.compactMap { session in
      guard session.workspaceID == workspace.workspaceID,
        let cost = session.cost.flatMap({ Dollars($0) })
      else { return nil }
      return (
        sessionID: session.id,
        cost: cost,
        created: LocalTime.date(at: session.createdAt),
        active: LocalTime.date(at: session.lastActivity)
      )
    }
  }
}

extension Budget {
  /// Takes the budgets of periods from the settings of a workspace.
  mutating func take(_ settings: WorkspaceSettings) throws {
    day = try settings.value(of: .dayBudget)
    month = try settings.value(of: .monthBudget)
  }
}

/// What the sessions of workspaces with a budget have cost, in `spending.json`.
extension RecordFile<KeyedRecords<SpendingLedger>> {
  /// Adds the present totals to the ledger of a workspace, and returns the ledger.
  ///
  /// - Throws: `FileError` if the file cannot be read or written, or is damaged.
  func update(
    _ workspace: WorkspaceReference,
    with sessions: [SpendingLedger.SessionCost],
    on today: LocalDate
  ) async throws(FileError) -> SpendingLedger {
    try await update { ledgers throws(FileError) in
      var ledger = try ledger(of: workspace, in: ledgers) ?? SpendingLedger()
      ledger.take(sessions, on: today)
      ledgers[workspace.description] = ledger
      return ledger
    }
  }

  /// The ledger of a workspace; `nil` if it has none.
  ///
  /// - Throws: If it is damaged, because a budget must not start anew.
  func ledger(
    of workspace: WorkspaceReference,
    in ledgers: KeyedRecords<SpendingLedger>
  ) throws(FileError) -> SpendingLedger? {
    let name = workspace.description
    guard ledgers.contains(name) else { return nil }
    guard let ledger = ledgers[name] else {
      throw .unusable(path: path, reason: "the record of a workspace is damaged")
    }
    return ledger
  }
}

extension Services {
  var spending: RecordFile<KeyedRecords<SpendingLedger>> {
    RecordFile(paths.spendingFile, in: files)
  }
}
