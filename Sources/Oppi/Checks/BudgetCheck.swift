// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Checks the budget of a prompt before it is sent.
struct BudgetCheck: Sendable {
  private let context: IntentContext

  init(in context: IntentContext) { self.context = context }

  /// Returns the most that the turn may cost; `nil` without a limit.
  ///
  /// Queries the server only for a budget of a day or a month.
  ///
  /// - Throws: `.overBudget` if a budget is used up.
  func limit(for request: AskRequest) async throws(OppiError) -> Dollars? {
    let budget = request.prompt.budget
    guard budget.isOfPeriods, let id = request.target.workspace.id,
      let workspace = WorkspaceReference(serverID: request.target.server.id, workspaceID: id)
    else { return budget.turn }
    let today = LocalTime.date(at: context.now())
    let ledger: SpendingLedger
    let sessions = try await sessions(in: workspace, on: request.target.server)
    do {
      ledger = try await context.spending.update(workspace, with: sessions, on: today)
    } catch {
      throw .file(error)
    }
    if let excess = budget.excess(in: ledger, on: today) {
      throw .overBudget(excess, workspace: request.target.workspace.name ?? id)
    }
    return budget.limit(in: ledger, on: today)
  }

  private func sessions(
    in workspace: WorkspaceReference,
    on server: PairedServer
  ) async throws(OppiError) -> [SpendingLedger.SessionCost] {
    let api = try await context.connections.client(for: server)
    let sessions = try await api.within(context.answerLimit).listSessions()
    return sessions.compactMap { session in
      guard session.workspaceID == workspace.workspaceID,
        let cost = session.cost.flatMap({ Dollars($0) })
      else { return nil }
      return SpendingLedger.SessionCost(
        sessionID: session.id,
        cost: cost,
        created: LocalTime.date(at: session.createdAt),
        active: LocalTime.date(at: session.lastActivity)
      )
    }
  }
}

extension OppiError {
  fileprivate static func overBudget(_ excess: Budget.Excess, workspace: String) -> OppiError {
    let (name, limit) =
      switch excess {
      case .day(let limit): ("day", limit)
      case .month(let limit): ("month", limit)
      }
    return OppiError(
      .overBudget,
      "the budget of \(limit.text) a \(name) for \(workspace.safeLine(limit: 120)) is used up; "
        + "nothing was sent",
      hints: ["see the costs with: oppi history --costs"]
    )
    .because(.overBudget)
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
    let name = workspace.description
    return try await update { ledgers throws(FileError) in
      guard var ledger = ledgers.contains(name) ? ledgers[name] : SpendingLedger() else {
        throw .unusable(path: path, reason: "the record of a workspace is damaged")
      }
      ledger.take(sessions, on: today)
      ledgers[name] = ledger
      return ledger
    }
  }
}
