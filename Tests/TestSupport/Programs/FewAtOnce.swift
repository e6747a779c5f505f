// SPDX-License-Identifier: MIT

/// Limits the number of tests with real programs and servers that run at a time.
///
/// All tests would start at once, and a hundred programs slow each other down until their deadlines
/// pass. Each suite that runs programs needs this trait: ``Executable`` refuses to run a program
/// outside of it.
package struct FewAtOnce: Sendable {
  @TaskLocal static var isInside = false

  package let isRecursive = true

  /// Waits for a free slot and runs a test.
  static func perform(
    _ function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    await Places.all.take()
    let result: Result<Void, any Error>
    do {
      try await $isInside.withValue(true) { try await inTime(function) }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await Places.all.giveBack()
    try result.get()
  }
}

extension FewAtOnce {
  /// Runs a test and cancels it, with everything that it awaits, at the time limit.
  private static func inTime(
    _ function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(function) { function in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await function() }
        group.addTask {
          let limit = Duration.testLimit
          try await Task.sleep(for: limit)
          throw OutOfTime(after: limit)
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    }
  }
}

/// The slots for running tests; waiting tests get them in order of arrival.
private actor Places {
  static let all = Places()

  /// Fewer under a sanitizer, where each program needs a core of its own.
  private var free = Executable.inherited.isEmpty ? 8 : 4
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func giveBack() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
