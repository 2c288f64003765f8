import type { Noun } from '../access/noun.ts';
import { removeInvitation, sendInvitation, updateMemberRole } from './change-members.ts';
import { deleteProject, renameProject } from './change-project.ts';
import { createProject } from './create-project.ts';
import { forgetProjects } from './forget-projects.ts';
import { listProjects } from './list-projects.ts';
import { acceptInvitation, declineInvitation, leaveProject } from './own-membership.ts';
import {
  getOwnerProjects,
  getProjectsStats,
  getUserWithProject,
  listInvitations,
} from './read-memberships.ts';
import { getProject, getProjectMembers, getProjectOwners, getProjectRole } from './read-project.ts';

/** Projects and their members. */
export const projectNoun: Noun = {
  routes: {
    'POST /create_project': createProject,
    'GET /list_projects': listProjects,
    'GET /get_project/:project_id': getProject,
    'GET /get_project_role/:project_id': getProjectRole,
    'GET /get_project_members/:project_id/:state': getProjectMembers,
    'GET /get_project_owners/:project_id': getProjectOwners,
    'GET /get_owner_projects': getOwnerProjects,
    'GET /get_user_with_project/:username': getUserWithProject,
    'GET /get_projects_stats': getProjectsStats,
    'GET /list_invitations_with_filters/:invitation_state': listInvitations,
    'POST /send_invitation': sendInvitation,
    'POST /accept_invitation': acceptInvitation,
    'POST /decline_invitation': declineInvitation,
    'POST /remove_invitation': removeInvitation,
    'POST /leave_project': leaveProject,
    'POST /update_project_name': renameProject,
    'POST /update_member_role': updateMemberRole,
    'POST /delete_project/:project_id': deleteProject,
  },
  duties: [{ name: 'forget deleted projects', everyMs: 60_000, run: forgetProjects }],
};
