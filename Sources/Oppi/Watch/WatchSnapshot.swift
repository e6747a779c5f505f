// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Writes the file that `oppi status` and other programs read.
struct WatchSnapshot {
  /// Readers ignore an old snapshot, so it is written at least this often.
  private static let heartbeat = FleetStatus.writtenEvery - WatchService.tick

  private var storedAt: EventLoop.Instant?
  private var stored: [ServerStatus] = []
  /// The last error of writing; each cause is reported once.
  private var trouble: FileError?

  /// Writes the snapshot if it has changed or is due.
  mutating func keep(_ fleet: inout FleetStatus, in context: IntentContext) async {
    let now = context.loop.now
    let isDue = storedAt.map { now >= $0 + Self.heartbeat } ?? true
    let present = fleet.servers.map(\.forSnapshot)
    guard isDue || present != stored else { return }
    fleet.at = context.now()
    do throws(FileError) {
      try context.statusFile.save(FleetStatus(at: fleet.at, servers: present))
      trouble = nil
    } catch {
      if error != trouble {
        await context.reporter.warn(context.reporter.reason(of: error).message)
      }
      trouble = error
    }
    (stored, storedAt) = (present, now)
  }
}
