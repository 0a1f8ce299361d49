// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/aot.h"
#include "compiler/form_choice.h"

namespace kiln::compiler {
namespace {

class PluginFinisher {
public:
    PluginFinisher(Program const& program, std::vector<Extents> const& profiles, Step& step,
                   FormChoice& choice)
        : program_(program), profiles_(profiles), step_(step), choice_(choice) {}

    void run() {
        Combination asked = choice_.types();
        asked.erase(asked.begin() + static_cast<std::ptrdiff_t>(step_.inputs().size()) -
                        step_.shapeInputs,
                    asked.begin() + static_cast<std::ptrdiff_t>(step_.inputs().size()));
        for (std::size_t i = 0;
             i < step_.inputs().size() - static_cast<std::size_t>(step_.shapeInputs); ++i) {
            step_.declared.push_back(program_.value(step_.inputs()[i]).type.type);
        }
        std::vector<Final> chosen;
        for (std::size_t profile = 0; profile < profiles_.size(); ++profile) {
            chosen.push_back(finalFor(asked, profile));
        }
        std::string const said = chosen.front().configured.plugin->metadata();
        step_.metadata += (step_.metadata.empty() || said.empty() ? "" : "; ") + said;
        // The first profile's copy replaces the one that answered the questions about types.
        step_.plugin = std::move(chosen.front().configured.plugin);
        for (std::size_t profile = 0; profile < profiles_.size(); ++profile) {
            plugin::PluginOp& plugin =
                profile == 0 ? *step_.plugin : *chosen[profile].configured.plugin;
            save(plugin, asked, chosen[profile], profiles_[profile]);
        }
    }

private:
    /// A plugin that is configured for one profile, and its timing.
    struct Final {
        ConfiguredPlugin configured;
        PluginTiming timing;
    };

    Final finalFor(Combination const& asked, std::size_t profile) {
        Final result;
        result.configured = configured(program_, profiles_[profile], step_, asked);
        std::vector<int32_t> const& tactics = result.configured.tactics;
        result.timing.tactic = tactics.empty() ? 0 : tactics.front();
        bool const timed = !choice_.timings.empty();
        if (timed) {
            result.timing = std::move(choice_.timings[choice_.taken][profile]);
        }
        int32_t const tactic = result.timing.tactic;
        bool const offered =
            tactic == 0 ? tactics.empty()
                        : std::find(tactics.begin(), tactics.end(), tactic) != tactics.end();
        if ((!timed && tactics.size() > 1) || !offered) {
            result.timing = timePlugin(program_, profiles_[profile], step_, asked, &tactics);
        }
        return result;
    }

    /// Saves the plugin of one profile. Profiles with equal records share one.
    void save(plugin::PluginOp& plugin, Combination const& asked, Final& final,
              Extents const& extents) {
        step_.workspaceBytes = std::max(step_.workspaceBytes, final.configured.workspaceBytes);
        if (profiles_.size() > 1) {
            step_.profileWorkspaces.push_back(final.configured.workspaceBytes);
        }
        plugin.initialize();
        step_.op.reset();
        plugin::PluginRecord record = plugin.save();
        record.layer = step_.name;
        record.tactic = final.timing.tactic;
        if (plugin.aheadOfTime()) {
            record.code = final.timing.code.empty()
                              ? compileAot(program_, extents, step_, plugin, asked, record.tactic)
                              : std::move(final.timing.code);
        }
        plugin.terminate();
        auto const known = std::find(step_.records.begin(), step_.records.end(), record);
        step_.recordOf.push_back(static_cast<std::size_t>(known - step_.records.begin()));
        if (known == step_.records.end()) {
            step_.records.push_back(std::move(record));
        }
    }

    Program const& program_;
    std::vector<Extents> const& profiles_; ///< of each profile
    Step& step_;
    FormChoice& choice_;
};

} // namespace

void finishPlugin(Program const& program, std::vector<Extents> const& profiles, Step& step,
                  FormChoice& choice) {
    PluginFinisher(program, profiles, step, choice).run();
}

} // namespace kiln::compiler
