// SPDX-License-Identifier: MIT

extension Script {
  /// A call that does not fit a small screen.
  static let migration = Script(
    words: ["migrate"],
    effect: "asks before a command of 30 lines",
    steps: [
      .say(
        text: "I will migrate the tables.",
        calls: [
          .bash(
            migrationCommand,
            .prints(["29 tables migrated\n"]),
            approvalReason: "Changes the database"
          )
        ]
      ),
      .report { $0.isError ? "Not migrated: \($0.output)" : "The tables are migrated." },
    ]
  )

  private static let migrationCommand =
    (["set -e"] + (1...29).map { "psql -d shop -f migrations/\($0).sql" }).joined(separator: "\n")
}
